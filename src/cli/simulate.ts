import { once } from "node:events";
import { parseArgs } from "node:util";

import { startSimulator, type SimulatorOptions } from "../simulator/simulator.ts";
import { rawCommand } from "./command.ts";
import { EXIT } from "./exit.ts";

const usage = `Usage: platform-operator simulate [flags]

Starts a simulated platform on loopback, until SIGINT or SIGTERM.

  --port <n>           port of the API (default: a free one)
  --control-port <n>   port of the control endpoint (default: a free one)
  --surface <s>        documented (default) or full
  --speed <n>          how many times faster than real time the platform works, or "instant" (default: 1)
  --token <t>          API token with scope Admin to accept (default: a random one)
  --organization <id>  the organization's id (default: a random one)
  --seed <text>        makes ids and tokens the same in every run
  --help               show this

A deployment of a commit that starts with "bad" fails its build.
`;

/**
 * The command `simulate`.
 * @param argv the arguments after the command's name.
 * @returns the exit code: 0 after a signal, 2 for arguments that it does not understand.
 */
export async function simulate(argv: readonly string[]): Promise<number> {
  let options: SimulatorOptions | "help";
  try {
    options = parse(argv);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error(usage);
    return EXIT.usage;
  }
  if (options === "help") {
    console.log(usage);
    return 0;
  }
  const simulator = await startSimulator(options);
  console.log(`platform       ${simulator.url}`);
  console.log(`control        ${simulator.controlUrl}`);
  console.log(`openapi        ${simulator.url}/openapi.json`);
  console.log(`organization   ${simulator.organizationId}`);
  for (const id of simulator.clusterIds) console.log(`cluster        ${id}`);
  for (const [name, token] of Object.entries(simulator.tokens)) console.log(`token ${name.padEnd(9)}${token}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await simulator.close();
  return 0;
}

export const simulateCommand = rawCommand((argv) => simulate(argv));

function parse(argv: readonly string[]): SimulatorOptions | "help" {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      port: { type: "string" },
      "control-port": { type: "string" },
      surface: { type: "string", default: "documented" },
      speed: { type: "string", default: "1" },
      token: { type: "string" },
      organization: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    surface: surfaceOf(values.surface),
    speed: speedOf(values.speed),
    port: portOf(values.port),
    controlPort: portOf(values["control-port"]),
    ...(values.token !== undefined && { adminToken: values.token }),
    ...(values.organization !== undefined && { organizationId: values.organization }),
    ...(values.seed !== undefined && { seed: values.seed }),
  };
}

function surfaceOf(text: string): "documented" | "full" {
  if (text === "documented" || text === "full") return text;
  throw new Error(`--surface takes documented or full, not ${text}`);
}

function speedOf(text: string): number | "instant" {
  const speed = Number(text);
  if (text === "instant") return text;
  if (Number.isFinite(speed) && speed > 0) return speed;
  throw new Error(`--speed takes a positive number or "instant", not ${text}`);
}

function portOf(text: string | undefined): number {
  const port = Number(text ?? 0);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`${text} is no port`);
}
