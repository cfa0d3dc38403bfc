/** Exit codes and the errors of the command line. */

/** The exit codes, as `--help` lists them. 64 is EX_USAGE of sysexits.h, 130 is 128 + SIGINT as in shells. */
export const EXIT = { ok: 0, failed: 1, changes: 2, timeout: 3, usage: 64, interrupted: 130 } as const;

/** A failure with a message for the user: what, where, and what to do. Printed without a stack trace. */
export class CliError extends Error {
  readonly code: number;

  constructor(message: string, code: number = EXIT.failed) {
    super(message);
    this.name = "CliError";
    this.code = code;
  }
}

/** An invalid command line. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, EXIT.usage);
    this.name = "UsageError";
  }
}
