/** The command `run`: the operator itself. */
import { ConfigError, loadConfig, type Config } from "../app/config.ts";
import { describeFlags } from "../app/flags.ts";
import { USAGE, type Output } from "./output.ts";

const usage = `Usage: platform-operator run [flags]

Runs the operator until SIGINT or SIGTERM.

${describeFlags()}

Each flag can be given as an environment variable: --log-level is PLATFORM_OPERATOR_LOG_LEVEL. Flags go first.
`;

/**
 * @param args the arguments after the command's name.
 * @returns the exit code: 0 after a clean stop, 1 when the operator failed, 64 for arguments that are wrong.
 */
export async function run(args: readonly string[], { stdout, stderr }: Output): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    stdout.write(usage);
    return 0;
  }
  let config: Config;
  try {
    config = loadConfig(args);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(`${error.message}\n\n${usage}`);
    return USAGE;
  }
  const { runOperator } = await import("../app/process.ts");
  return runOperator(config);
}
