/** The command `reconcile`: requests a reconcile of objects, and waits for its result. */
import { RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import { isPaused } from "../../api/paused.ts";
import { conditionView, summarize, isReady } from "../../console/tree/summary.ts";
import { platformApplication } from "../../kinds/application/crd.ts";
import { abortableSleep } from "../../kube/api/clock.ts";
import { listMember, member, stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import type { StoreChange } from "../../kube/watch/store.ts";
import { printable } from "../../text/text.ts";
import type { Call } from "../base/call.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { explain, isExpected } from "../base/explain.ts";
import { wrap } from "../base/render.ts";
import { shortTarget } from "../base/targets.ts";
import { renderLine, showChanges } from "./shared/drawing.ts";
import { followObjects } from "./shared/listing.ts";
import { createScreen } from "./shared/screen.ts";

interface ReconcileOptions {
  readonly wait?: boolean | undefined;
  readonly timeout: number;
  readonly dryRun?: "server" | undefined;
}

export async function reconcileCommand(
  call: Call,
  names: readonly string[],
  options: ReconcileOptions,
): Promise<number> {
  const { wait, timeout, dryRun } = options;
  const objects = await call.objects(names);
  if (wait !== true || dryRun !== undefined) {
    await request(call, objects, dryRun);
    return EXIT.ok;
  }
  for (const object of objects) refusePaused(object, call.program);
  return requestAndWait(call, objects, timeout);
}

/** Refuses a paused object, as the operator does not reconcile it. @throws CliError */
export function refusePaused(object: KubeObject, program: string): void {
  if (!isPaused(object)) return;
  const target = shortTarget(keyOf(object));
  throw new CliError(
    `${target} is paused, so the operator ignores the request. Resume it with: ${program} resume ${target}`,
  );
}

/** Requests a reconcile. @returns the token that the operator writes back once it is done */
async function request(call: Call, objects: readonly KubeObject[], dryRun?: "server"): Promise<string> {
  const cluster = await call.cluster();
  const token = call.host.clock.now().toISOString();
  for (const object of objects) {
    await cluster.patch(object, { metadata: { annotations: { [RECONCILE_REQUESTED_AT]: token } } }, dryRun);
    await call.wrote(object, "reconcile requested", dryRun);
  }
  return token;
}

const isStalled = (object: KubeObject): boolean => summarize(object).mark === "stalled";

/** How long an object may stay Stalled before the wait for it ends. A retry begins within seconds. */
const STALLED_GRACE_MS = 30_000;

/**
 * Requests a reconcile and waits until each object is Ready or needs a person.
 * @returns the exit code
 * @throws KubeError if the user may not list the objects
 */
export async function requestAndWait(call: Call, objects: readonly KubeObject[], timeoutMs: number): Promise<number> {
  const token = await request(call, objects);
  const { host, report } = call;
  const { clock } = host;
  const cluster = await call.cluster();
  const interrupt = host.interrupt();
  const namespace = objects.find(({ metadata }) => metadata.namespace !== undefined)?.metadata.namespace ?? "";
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  const graceEndsAt = clock.monotonic() + STALLED_GRACE_MS;
  const following = followObjects({ cluster, namespace, kinds, report, clock });
  let isSynced = false;
  const isHandled = (now: KubeObject, before: KubeObject): boolean => {
    if (stringMember(now.status, "lastHandledReconcileAt") === token) return true;
    // The operator may not handle the request of an object that stays Stalled, e.g. because its spec is invalid.
    const isGraceOver = clock.monotonic() >= graceEndsAt;
    return (
      isStalled(now) && (isGraceOver || !isStalled(before) || now.metadata.generation !== before.metadata.generation)
    );
  };
  const resultOf = (object: KubeObject): Result => {
    const now = following.store.get(keyOf(object));
    if (!isSynced) return { object, now, is: "working" };
    if (now?.metadata.uid !== object.metadata.uid) return { object, now, is: "gone" };
    if (!isHandled(now, object)) return { object, now, is: "working" };
    if (isReady(now)) return { object, now, is: "ready" };
    return { object, now, is: isStalled(now) ? "stalled" : "working" };
  };
  const results = (): readonly Result[] => objects.map(resultOf);
  const isOver = (): boolean => following.unreadable.size > 0 || results().every(({ is }) => is !== "working");
  const lines = (): readonly string[] =>
    results().flatMap(({ now }) => (now === undefined ? [] : renderLine(summarize(now))));
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const isRequested = ({ object }: StoreChange): boolean => uids.has(object.metadata.uid);
  let stopProgress = (): void => {};
  try {
    const outcome = await waitFor(isOver, { clock, timeoutMs, interrupt }, (check) => {
      void following.synced.then(() => {
        isSynced = true;
        const screen = createScreen(host.io.stderr);
        stopProgress = showChanges({ store: following.store, screen, clock, render: lines, concerns: isRequested });
        check();
      });
      const cancel = clock.after(STALLED_GRACE_MS, check);
      const unsubscribe = following.store.subscribe(check);
      return () => {
        cancel();
        unsubscribe();
      };
    });
    stopProgress();
    for (const error of following.unreadable.values()) throw error;
    return await conclude(call, outcome, results());
  } finally {
    await following.stop();
  }
}

/** The progress of one object: still working, or how it ended. */
interface Result {
  readonly object: KubeObject;
  /** The current object. */
  readonly now: KubeObject | undefined;
  readonly is: "working" | "ready" | "stalled" | "gone";
}

/**
 * Waits until `isOver` returns true, until the timeout, or until Ctrl-C.
 * @param subscribe calls its argument after each change, and returns a function that ends the subscription
 */
async function waitFor(
  isOver: () => boolean,
  limits: { readonly clock: Clock; readonly timeoutMs: number; readonly interrupt: AbortSignal },
  subscribe: (check: () => void) => () => void,
): Promise<"over" | "timeout" | "interrupted"> {
  const over = new AbortController();
  const unsubscribe = subscribe(() => {
    if (isOver()) over.abort();
  });
  const { clock, timeoutMs, interrupt } = limits;
  const timedOut = await abortableSleep(clock, timeoutMs, AbortSignal.any([over.signal, interrupt]));
  unsubscribe();
  if (over.signal.aborted) return "over";
  return timedOut ? "timeout" : "interrupted";
}

/** Reports the objects that are not Ready. @returns the exit code */
async function conclude(
  { access, program, report }: Call,
  outcome: Awaited<ReturnType<typeof waitFor>>,
  results: readonly Result[],
): Promise<number> {
  const open = results.filter(({ is }) => is !== "ready");
  for (const { object, is, now } of open) report(wrap(`${shortTarget(keyOf(object))}: ${reasonOf(is, now)}`, 2));
  const later = `the operator continues by itself. Watch it with: ${program} tree -w`;
  if (outcome === "timeout") report(`Timed out; ${later}`);
  if (outcome === "interrupted") report(`Nothing is undone: ${later}`);
  for (const { is, now } of open) if (is === "stalled" && now !== undefined) await printLog(now, access, report);
  if (outcome === "over") return open.length === 0 ? EXIT.ok : EXIT.failed;
  return EXIT[outcome];
}

function reasonOf(is: Result["is"], now: KubeObject | undefined): string {
  if (is === "gone") return "it is gone.";
  if (now === undefined) return "it could not be read.";
  const { reason = "", message = "" } = conditionView(now, "Stalled") ?? conditionView(now, "Ready") ?? {};
  return reason === "" ? "The operator has not reported a condition yet." : `${reason}: ${message}`;
}

const LOG_LINES = 20;

/**
 * Prints the last lines of the log of an application that failed: those in its status (spec.logs.onFailure), which need
 * no further right, else those of the platform, if the user may read them.
 */
async function printLog(object: KubeObject, access: Call["access"], report: (line: string) => void): Promise<void> {
  const id = stringMember(object.status, "externalId");
  if (object.kind !== platformApplication.kind || id === undefined) return;
  const kept = listMember(member(object.status, "lastFailure"), "log");
  if (kept.length > 0) {
    for (const line of kept) if (typeof line === "string") report(`  ${printable(line)}`);
    return;
  }
  try {
    const { platform } = await access(object);
    for (const line of await platform.applications.log(id, LOG_LINES)) report(`  ${printable(line)}`);
  } catch (error) {
    if (!isExpected(error)) throw error;
    report(`  Its log cannot be shown: ${explain(error).message}`);
  }
}
