/** What all commands share. */

/** sysexits.h EX_USAGE: the command line is wrong. */
export const USAGE = 64;

/** Where a command writes; the process's own streams but for tests. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}
