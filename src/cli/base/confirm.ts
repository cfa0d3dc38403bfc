/** Confirms an action that cannot be undone. */
import type { Call } from "./command.ts";
import { CliError, UsageError } from "./exit.ts";
import type { Flags } from "./flags.ts";

/** The flag of commands that ask for confirmation. */
export const YES = { yes: { is: "switch", short: "y", about: "do not ask" } } as const satisfies Flags;

/**
 * Prints what is about to be done, and on a terminal asks whether to continue.
 * @throws UsageError without a terminal and without --yes; CliError when the user declines
 */
export async function confirm(call: Call<unknown, { readonly yes: boolean }>, what: string): Promise<void> {
  const { stdin, stderr } = call.io;
  call.tell(what);
  if (call.flags.yes) return;
  if (stdin.isTTY !== true) throw new UsageError("There is no terminal to ask on. Add --yes to go ahead.");
  stderr.write("Go ahead? [y/N] ");
  if (!/^\s*y(?:es)?\s*$/i.test(await firstLine(stdin))) throw new CliError("Nothing was done.");
}

async function firstLine(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
