/** `make demo`: see options.ts for its options. */
import { createScreen } from "../../src/cli/objects/shared/screen.ts";
import { runDemo } from "./demo.ts";
import { type DemoOptions, parseOptions, USAGE, UsageError } from "./options.ts";

/** sysexits.h EX_USAGE. */
const WRONG_USAGE = 64;
/** 128 + SIGINT, as in shells. */
const INTERRUPTED = 130;

process.exit(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions | "help";
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return WRONG_USAGE;
  }
  if (options === "help") {
    process.stdout.write(USAGE);
    return 0;
  }
  const { stdout } = process;
  const screen = createScreen(stdout, stdout.isTTY && process.env["TERM"] !== "dumb");
  const ended = new AbortController();
  endBySignals(ended);
  try {
    return await runDemo(options, screen, ended.signal);
  } catch (error) {
    if (ended.signal.aborted) return options.once ? INTERRUPTED : 0;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

/** The first signal stops the demo cleanly, the second at once; all child processes end in both cases. */
function endBySignals(ended: AbortController): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (ended.signal.aborted) process.exit(INTERRUPTED);
      ended.abort();
    });
  }
  // The reader has gone, e.g. `make demo | head`.
  process.stdout.on("error", () => process.exit(1));
}
