import { parseArgs } from "node:util";

import { SCENARIOS, type Scenario } from "./scenarios/index.ts";

export interface DemoOptions {
  /** Stop when everything was shown, instead of running until Ctrl-C. */
  readonly once: boolean;
  readonly scenario: Scenario | undefined;
  readonly speed: number;
  readonly surface: "documented" | "full";
}

/** An invalid command line; the message names the problem and the valid values. */
export class UsageError extends Error {}

/** Slow enough to watch a deployment, fast enough for a demo of a quarter of a minute. */
const SPEED = "10";
const SURFACES = ["documented", "full"] as const;

export const USAGE = `Usage: make demo [ONCE=1] [SCENARIO=name] [SURFACE=full] [SPEED=n]
       node test/demo/main.ts [--once] [--scenario name] [--speed n] [--surface documented|full]

Starts a real Kubernetes control plane, a simulated platform and the operator on loopback, applies
examples/quickstart and shows how it becomes Ready; then runs until Ctrl-C.

  --once             stop then: exit code 0, or 1 with the reason
  --scenario name    show how failure looks:
${SCENARIOS.map(({ name, about }) => `                       ${name.padEnd(12)}${about}\n`).join("")}\
  --speed n          how many times faster than real time the platform works (default ${SPEED})
  --surface name     which operations the platform offers: documented or full (default documented)
`;

/** @returns the options of a command line, or "help". @throws UsageError */
export function parseOptions(args: readonly string[]): DemoOptions | "help" {
  const { once, scenario: name, speed, surface, help } = read(args);
  if (help) return "help";
  const scenario = SCENARIOS.find((known) => known.name === name);
  if (name !== undefined && scenario === undefined) {
    const known = SCENARIOS.map((each) => each.name).join(", ");
    throw new UsageError(`there is no scenario ${JSON.stringify(name)}; there are ${known}`);
  }
  const needed = scenario?.surface;
  if (needed !== undefined && surface !== undefined && surface !== needed) {
    throw new UsageError(`the scenario ${name} needs the surface ${needed}`);
  }
  return { once, scenario, speed: speedOf(speed), surface: surfaceOf(surface ?? needed ?? "documented") };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        once: { type: "boolean", default: false },
        scenario: { type: "string" },
        speed: { type: "string", default: SPEED },
        surface: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function speedOf(text: string): number {
  const speed = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && speed > 0 && speed <= 100_000) return speed;
  throw new UsageError(`the speed is a number above 0 and up to 100000, not ${JSON.stringify(text)}`);
}

function surfaceOf(text: string): DemoOptions["surface"] {
  const surface = SURFACES.find((known) => known === text);
  if (surface !== undefined) return surface;
  throw new UsageError(`the surface is documented or full, not ${JSON.stringify(text)}`);
}
