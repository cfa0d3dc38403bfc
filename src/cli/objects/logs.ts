/** `logs`: the last lines of an application's log, and new ones with --follow. */
import { platformApplication } from "../../kinds/application/crd.ts";
import { abortableSleep } from "../../kube/api/clock.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Call } from "../base/call.ts";
import { printText } from "../base/render.ts";

/** The log is polled, as the platform has no stream; the platform accepts about 1,000 requests an hour. */
const POLL_MS = 5_000;
/** The number of lines that deployed services keep; all are read while following, so that none is missed. */
const MAX_LINES = 1_000;

interface LogsOptions {
  readonly tail: number;
  readonly follow?: boolean | undefined;
}

/** @param name a PlatformApplication, or the id of an application */
export async function logsCommand(call: Call, name: string, { tail, follow }: LogsOptions): Promise<void> {
  const { platform, id } = await call.target(name, [platformApplication.kind]);
  const read = (lines: number): Promise<readonly string[]> => platform.applications.log(id, lines);
  const first = await read(follow === true ? Math.max(tail, MAX_LINES) : tail);
  write(call, first.slice(-tail));
  if (follow === true) await followOn(call, first, () => read(Math.max(tail, MAX_LINES)));
}

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

/** Returns how long to wait after a temporary failure of the platform; undefined for any other error. */
function pauseAfter(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { failure } = error;
  if ("retryAfterMs" in failure) return failure.retryAfterMs;
  return failure.is === "Server" || failure.is === "Unreachable" ? 0 : undefined;
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
