/** The program: the simulated platform, as `make simulate` starts it. */
import { once } from "node:events";
import { parseArgs } from "node:util";

import { surfaces } from "./base/operations.ts";
import { startSimulator } from "./simulator.ts";

const USAGE = `Usage: node simulator.js [flags]

Starts a simulated platform, which runs until SIGINT or SIGTERM.
A deployment of a commit that starts with "bad" fails its build.

Flags:
  --host ADDRESS     address of the API; 127.0.0.1, the default, for this machine
                     alone, 0.0.0.0 in a container
  --port N           port of the API; 0, the default, for a free one
  --control-port N   port of the control endpoint, on loopback; 0, the default,
                     for a free one
  --surface SURFACE  the operations it offers: ${surfaces.join(", ")}
                     (default documented)
  --speed N          how many times faster than real time the platform works, or
                     "instant" (default 1)
  --token TOKEN      API token with scope Admin to accept (default a random one)
  --organization ID  the organization's id (default a random one)
  --seed TEXT        makes ids and tokens the same in every run
  --help             print this text
`;

/** EX_USAGE of sysexits.h. */
const EX_USAGE = 64;

export interface Output {
  readonly stdout: (text: string) => unknown;
  readonly stderr: (text: string) => unknown;
}

/**
 * Serves the simulated platform until this process gets SIGINT or SIGTERM, and prints its addresses, ids and tokens.
 * @param argv the flags, without the program's name
 * @returns the exit code: 0, or 64 for invalid flags
 */
export async function main(argv: readonly string[], { stdout, stderr }: Output): Promise<number> {
  let options: Options;
  try {
    options = optionsOf(argv);
  } catch (error) {
    stderr(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return EX_USAGE;
  }
  if (options === "help") {
    stdout(USAGE);
    return 0;
  }
  const simulator = await startSimulator(options);
  const lines = [
    ["platform", simulator.url],
    ["control", simulator.controlUrl],
    ["openapi", `${simulator.url}/openapi.json`],
    ["organization", simulator.organizationId],
    ...simulator.clusterIds.map((id) => ["cluster", id]),
    ...Object.entries(simulator.tokens).map(([name, value]) => [`token ${name}`, value]),
  ];
  stdout(lines.map(([name = "", value = ""]) => `${name.padEnd(15)}${value}\n`).join(""));
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await simulator.close();
  return 0;
}

type Options = Parameters<typeof startSimulator>[0] | "help";

/** @throws Error with the problem in the flags */
function optionsOf(argv: readonly string[]): Options {
  const text = { type: "string" } as const;
  const flags = {
    host: text,
    port: text,
    "control-port": text,
    surface: text,
    speed: text,
    token: text,
    organization: text,
    seed: text,
    help: { type: "boolean" },
  } as const;
  const { values } = parseArgs({ args: [...argv], options: flags });
  const { host, token, organization, seed, surface = "documented", help = false } = values;
  if (help) return "help";
  const known = surfaces.find((name) => name === surface);
  if (known === undefined) throw new Error(`--surface takes ${surfaces.join(", ")}, not ${JSON.stringify(surface)}.`);
  return {
    surface: known,
    speed: speedOf(values.speed ?? "1"),
    port: portOf(values.port ?? "0"),
    controlPort: portOf(values["control-port"] ?? "0"),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { adminToken: token }),
    ...(organization !== undefined && { organizationId: organization }),
    ...(seed !== undefined && { seed }),
  };
}

function speedOf(text: string): number | "instant" {
  const speed = Number(text);
  if (text === "instant") return text;
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new Error(`--speed takes a positive number or "instant", not ${JSON.stringify(text)}.`);
}

function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Error(`${JSON.stringify(text)} is no port.`);
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2), {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  });
}
