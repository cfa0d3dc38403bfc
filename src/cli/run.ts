/** The command `run`: the operator itself. */
import { ConfigError, loadConfig, type Config } from "../config/config.ts";
import { describeFlags } from "../config/flags.ts";
import { EXIT } from "./base/exit.ts";
import type { Io } from "./base/io.ts";
import { align, wrap } from "./base/render.ts";

/** @returns the help of `run` */
export function runHelp(): string {
  const flags = describeFlags();
  const indent = 4 + Math.max(...flags.map(([name]) => name.length));
  const lines = align(flags, "  ").map((line) => `${wrap(`  ${line}`, indent)}\n`);
  return `Usage: platform-operator run [flags]

Runs the operator until SIGINT or SIGTERM.

Flags:
${lines.join("")}
Each flag can be given as an environment variable: --log-level is PLATFORM_OPERATOR_LOG_LEVEL.
A flag takes precedence over its variable.
`;
}

/**
 * @param args the arguments after `run`
 * @returns 0 after a clean stop, 1 when the operator failed, 64 for invalid arguments
 */
export async function run(args: readonly string[], { stdout, stderr }: Io): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    stdout.write(runHelp());
    return EXIT.ok;
  }
  let config: Config;
  try {
    config = loadConfig(args);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n\n${runHelp()}`);
    return EXIT.usage;
  }
  const { runOperator } = await import("../operator/process.ts");
  return runOperator(config);
}
