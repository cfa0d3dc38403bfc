/** How a command ends. */

/** The exit codes, as `--help` tells them. 64 is EX_USAGE of sysexits.h, 130 is 128 + SIGINT as shells say it. */
export const EXIT = { ok: 0, failed: 1, changes: 2, timeout: 3, usage: 64, interrupted: 130 } as const;

/** A failure in words for the user: what, where, and what to do. Shown without a stack trace. */
export class CliError extends Error {
  readonly code: number;

  constructor(message: string, code: number = EXIT.failed) {
    super(message);
    this.name = "CliError";
    this.code = code;
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  constructor(message: string) {
    super(message, EXIT.usage);
    this.name = "UsageError";
  }
}
