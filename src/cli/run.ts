/** The command `run`: the operator itself. */
import { ConfigError, loadConfig, type Config } from "../config/config.ts";
import { describeFlags, FLAG_NAMES } from "../config/flags.ts";
import { rawCommand } from "./base/command.ts";
import { EXIT } from "./base/exit.ts";
import { didYouMeanFlag } from "./base/suggest.ts";
import { section } from "./usage.ts";

const usage = `Usage: platform-operator run [flags]

Runs the operator until SIGINT or SIGTERM.
${section("Flags", describeFlags())}
Each flag can be given as an environment variable: --log-level is PLATFORM_OPERATOR_LOG_LEVEL.
A flag takes precedence over its variable.
`;

/** Exits with 0 after a clean stop, 1 when the operator failed, 64 for invalid arguments. */
export const runCommand = rawCommand(async (args, { host }) => {
  const { stdout, stderr } = host.io;
  if (args.includes("--help") || args.includes("-h")) {
    stdout.write(usage);
    return EXIT.ok;
  }
  let config: Config;
  try {
    config = loadConfig(args);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const meant = didYouMeanFlag(error.message, FLAG_NAMES);
    stderr.write(`${error.message}${meant === "" ? "" : `.${meant}`}\n\n${usage}`);
    return EXIT.usage;
  }
  const { runOperator } = await import("../operator/process.ts");
  return runOperator(config);
});
