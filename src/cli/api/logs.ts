/** `logs`: the last lines of an application's log, and new ones with --follow. */
import { abortableSleep } from "../../kube/api/clock.ts";
import type { Call } from "../base/command.ts";
import { EXIT } from "../base/exit.ts";
import { printText } from "../base/render.ts";
import { apiCommand, APPLICATION, pauseAfter } from "./declare.ts";

/** The log is polled, as the platform has no stream; the platform accepts about 1,000 requests an hour. */
const POLL_MS = 5_000;
/** The number of lines that deployed services keep; all are read while following, so that none is missed. */
const MAX_LINES = 1_000;

export const logs = apiCommand({
  name: "logs",
  about: "print the log of an application",
  operations: ["getApplicationLog"],
  args: [APPLICATION],
  flags: {
    tail: { type: "count", value: "N", min: 1, fallback: 100, about: "number of lines" },
    follow: { type: "switch", short: "f", about: "follow the log until Ctrl-C" },
  },
  run: async (call) => {
    const { tail, follow } = call.flags;
    const { platform, id } = await call.target(call.args.application, ["PlatformApplication"]);
    const read = (lines: number): Promise<readonly string[]> => platform.applications.log(id, lines);
    const first = await read(follow ? Math.max(tail, MAX_LINES) : tail);
    write(call, first.slice(-tail));
    if (follow) await followOn(call, first, () => read(Math.max(tail, MAX_LINES)));
    return EXIT.ok;
  },
});

async function followOn(call: Call, first: readonly string[], read: () => Promise<readonly string[]>): Promise<void> {
  const signal = call.host.interrupt();
  let previous = first;
  let waitMs = POLL_MS;
  while (await abortableSleep(call.host.clock, waitMs, signal)) {
    try {
      const now = await read();
      const added = newLines(previous, now);
      if (previous.length > 0 && added.length === now.length && now.length > 0)
        call.report("(lines may be missing here)");
      write(call, added);
      previous = now;
      waitMs = POLL_MS;
    } catch (error) {
      const pauseMs = pauseAfter(error);
      if (pauseMs === undefined) throw error;
      waitMs = Math.max(POLL_MS, pauseMs);
      call.report(`The log cannot be read now${error instanceof Error ? ` (${error.message})` : ""}; retrying.`);
    }
  }
}

/** @returns the lines of `now` without the longest suffix of `before` that `now` begins with */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let shared = Math.min(before.length, now.length); shared > 0; shared -= 1) {
    const from = before.length - shared;
    if (now.slice(0, shared).every((line, at) => line === before[from + at])) return now.slice(shared);
  }
  return now;
}

function write(call: Call, lines: readonly string[]): void {
  printText(call, lines.map((line) => `${line}\n`).join(""));
}
