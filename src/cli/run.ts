/** The command `run`: the operator itself. */
import { ConfigError, loadConfig, type Config } from "../operator/config/config.ts";
import { describeFlags } from "../operator/config/flags.ts";
import { rawCommand } from "./base/command.ts";
import { EXIT } from "./base/exit.ts";
import type { Io } from "./base/io.ts";

const usage = `Usage: platform-operator run [flags]

Runs the operator until SIGINT or SIGTERM.

${describeFlags()}

Each flag can be given as an environment variable: --log-level is PLATFORM_OPERATOR_LOG_LEVEL. Flags go first.
`;

/**
 * @param args the arguments after the command's name.
 * @returns the exit code: 0 after a clean stop, 1 when the operator failed, 64 for arguments that are wrong.
 */
async function start(args: readonly string[], { stdout, stderr }: Io): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    stdout.write(usage);
    return EXIT.ok;
  }
  let config: Config;
  try {
    config = loadConfig(args);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n\n${usage}`);
    return EXIT.usage;
  }
  const { runOperator } = await import("../operator/process.ts");
  return runOperator(config);
}

export const run = rawCommand((args, { host }) => start(args, host.io));
