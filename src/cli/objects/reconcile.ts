/** The command `reconcile`: requests a reconcile of objects, and waits for its result. */
import { PAUSED, RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import { conditionOf, factOf, isReady } from "../../console/tree/facts.ts";
import { platformApplication } from "../../kinds/application/crd.ts";
import { platformOperation } from "../../kinds/operation/crd.ts";
import { pause } from "../../kube/api/clock.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import type { Store } from "../../kube/watch/store.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { printable } from "../../text/text.ts";
import type { Cluster } from "../base/cluster.ts";
import { type Call, command } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { explain } from "../base/explain.ts";
import type { Flags } from "../base/flags.ts";
import type { Host, Stream } from "../base/io.ts";
import { aborted } from "./shared/aborted.ts";
import { tellChanges } from "./shared/changes.ts";
import { renderLine } from "./shared/drawing.ts";
import { annotate } from "./shared/edit.ts";
import { followObjects } from "./shared/listing.ts";
import { createScreen } from "./shared/screen.ts";
import { fullName, shortTarget, targetOf, TARGETS } from "./shared/target.ts";

/** The flags of commands that wait for objects. */
export const WAIT_FOR_READY = {
  wait: { is: "switch", about: "wait until they are Ready, or a person is needed" },
  timeout: { is: "duration", fallback: "5m", about: "how long to wait, e.g. 90s or 10m" },
} as const satisfies Flags;

export const reconcile = command({
  asks: "platform",
  args: [TARGETS],
  flags: WAIT_FOR_READY,
  details:
    "A deployment that failed is tried again once. The exit code is 1 when an object is stalled, 3 when the time is over.",
  run: async (call) => {
    const { args, flags, program } = call;
    const targets = args.object.map(targetOf);
    const cluster = await call.cluster();
    const objects: KubeObject[] = [];
    for (const { kind, name } of targets) objects.push(await cluster.get(kind, name));
    for (const object of objects) refuseEnded(object);
    if (flags.wait) for (const object of objects) refusePaused(object, program);
    const token = await request(call, cluster, objects);
    return flags.wait ? await awaitReady(call, { cluster, objects, token, timeoutMs: flags.timeout }) : EXIT.ok;
  },
});

/** Requests a reconcile. @returns the token that the operator writes back once it is done */
async function request(
  { host, io }: Pick<Call, "host" | "io">,
  cluster: Cluster,
  objects: readonly KubeObject[],
): Promise<string> {
  const token = host.clock.now().toISOString();
  for (const object of objects) {
    await annotate(cluster, object, { [RECONCILE_REQUESTED_AT]: token });
    const { kind, metadata } = object;
    io.stdout.write(`${fullName({ kind, name: metadata.name })} reconcile requested\n`);
  }
  return token;
}

/** Requests a reconcile and waits until each object is Ready or needs a person. @returns the exit code */
export async function requestAndWait(
  call: Waits,
  cluster: Cluster,
  objects: readonly KubeObject[],
  timeoutMs: number,
): Promise<number> {
  return await awaitReady(call, { cluster, objects, token: await request(call, cluster, objects), timeoutMs });
}

type Waits = Pick<Call, "access" | "host" | "io" | "program" | "tell">;

async function awaitReady(
  { access, host, program, tell }: Waits,
  of: Pick<How, "token" | "timeoutMs"> & { readonly cluster: Cluster; readonly objects: readonly KubeObject[] },
): Promise<number> {
  const { cluster, objects, token, timeoutMs } = of;
  const { outcome, awaited } = await waitedFor(cluster, objects, { token, timeoutMs, host, tell });
  const code = ending(outcome, awaited, tell, program);
  for (const { verdict, now } of awaited)
    if (verdict === "stalled" && now !== undefined) await printLog(now, access, tell);
  return code;
}

/** An operation that has ended is never carried out again. */
function refuseEnded(object: KubeObject): void {
  if (object.kind !== platformOperation.kind) return;
  const [end] = ["Complete", "Failed"].flatMap((type) => conditionOf(object, type) ?? []);
  if (end === undefined) return;
  const how = end.status === "True" ? end.type : "over, and its result is unknown";
  const target = shortTarget({ kind: object.kind, name: object.metadata.name });
  throw new CliError(`${target} is ${how}: an operation is carried out once. Create another one to repeat it.`);
}

/** A paused object is not reconciled. */
function refusePaused({ kind, metadata }: KubeObject, program: string): void {
  if (metadata.annotations?.[PAUSED] !== "true") return;
  const target = shortTarget({ kind, name: metadata.name });
  throw new CliError(`${target} is paused: nothing comes of a request. Let it go on with: ${program} resume ${target}`);
}

interface Ended {
  readonly object: KubeObject;
  readonly verdict: ReturnType<typeof verdictOf>;
  /** The current object. */
  readonly now: KubeObject | undefined;
}

interface How {
  readonly token: string;
  readonly timeoutMs: number;
  readonly host: Host;
  readonly tell: (line: string) => void;
}

async function waitedFor(
  cluster: Cluster,
  objects: readonly KubeObject[],
  { token, timeoutMs, host, tell }: How,
): Promise<{ readonly outcome: Outcome; readonly awaited: readonly Ended[] }> {
  const { clock } = host;
  const interrupt = host.interrupt();
  const namespace = objects.find(({ metadata }) => metadata.namespace !== undefined)?.metadata.namespace ?? "";
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  const following = followObjects({ cluster, namespace, kinds, tell, clock });
  const { store } = following;
  try {
    await following.synced;
    const awaited: readonly Awaited[] = objects.map((object) => ({ object, token }));
    const progress = host.io.stderr;
    const outcome = await waitFor({ store, awaited, timeoutMs, clock, progress, interrupt });
    const ends = awaited.map((one) => {
      const { kind, metadata } = one.object;
      const now = store.get({ kind, namespace: metadata.namespace ?? "", name: metadata.name });
      return { object: one.object, verdict: verdictOf(store, one), now };
    });
    return { outcome, awaited: ends };
  } finally {
    await following.stop();
  }
}

function ending(outcome: Outcome, awaited: readonly Ended[], tell: (line: string) => void, program: string): number {
  const open = awaited.filter(({ verdict }) => verdict !== "ready");
  for (const { object, verdict, now } of open) {
    const target = shortTarget({ kind: object.kind, name: object.metadata.name });
    tell(`${target}: ${words(verdict, now)}`);
  }
  switch (outcome) {
    case "over":
      return open.length === 0 ? EXIT.ok : EXIT.failed;
    case "timeout":
      tell(`The time is over; the operator goes on by itself. Watch on with: ${program} tree -w`);
      return EXIT.timeout;
    case "interrupted":
      tell(`Nothing is undone: the operator goes on by itself. Watch on with: ${program} tree -w`);
      return EXIT.interrupted;
    default:
      return outcome satisfies never;
  }
}

/** Prints the last lines of the log of an application that failed, if the user may read them. */
async function printLog(object: KubeObject, access: Call["access"], tell: (line: string) => void): Promise<void> {
  const id = stringMember(object.status, "externalId");
  if (object.kind !== platformApplication.kind || id === undefined) return;
  try {
    const { platform } = await access(object);
    for (const line of await platform.applications.log(id, LOG_LINES)) tell(`  ${printable(line)}`);
  } catch (error) {
    if (!(error instanceof CliError) && !(error instanceof KubeError) && !(error instanceof ApiError)) throw error;
    tell(`  Its log cannot be shown: ${explain(error).message}`);
  }
}

const LOG_LINES = 20;

function words(verdict: Ended["verdict"], now: KubeObject | undefined): string {
  if (verdict === "gone" || now === undefined) return "it is gone.";
  const { reason = "", message = "" } = conditionOf(now, "Stalled") ?? conditionOf(now, "Ready") ?? {};
  return reason === "" ? "The operator has not said anything of it." : `${reason}: ${message}`;
}

/** An object and the token of its reconcile request. */
export interface Awaited {
  readonly object: KubeObject;
  readonly token: string;
}

export interface Waiting {
  readonly store: Store;
  readonly awaited: readonly Awaited[];
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The stream of progress: redrawn in place on a terminal, else a line per change. */
  readonly progress: Stream;
  readonly interrupt: AbortSignal;
}

/** "over": every object is Ready, stalled or deleted. */
export type Outcome = "over" | "timeout" | "interrupted";

/** Resolves when all have handled their request, or earlier. */
export async function waitFor(waiting: Waiting): Promise<Outcome> {
  const { store, awaited, clock, interrupt } = waiting;
  const over = Promise.withResolvers<void>();
  const check = (): void => {
    if (awaited.every((one) => verdictOf(store, one) !== "working")) over.resolve();
  };
  const ended = new AbortController();
  const unsubscribe = [store.subscribe(check), showProgress(waiting)];
  check();
  try {
    return await Promise.race([
      over.promise.then((): Outcome => "over"),
      pause(clock, waiting.timeoutMs, ended.signal).then((): Outcome => "timeout"),
      aborted(interrupt).then((): Outcome => "interrupted"),
    ]);
  } finally {
    ended.abort();
    for (const end of unsubscribe) end();
  }
}

/** Returns how far one object is: still working, or how it ended. */
export function verdictOf(store: Store, { object, token }: Awaited): "working" | "ready" | "stalled" | "gone" {
  const now = store.get(keyOf(object));
  if (now?.metadata.uid !== object.metadata.uid) return "gone";
  if (member(now.status, "lastHandledReconcileAt") !== token) return "working";
  const { mark } = factOf(now);
  if (isReady(now)) return "ready";
  return mark === "stalled" ? "stalled" : "working";
}

function showProgress({ store, awaited, progress }: Waiting): () => void {
  const isTerminal = progress.isTTY === true;
  const screen = createScreen(progress, { live: isTerminal, colours: progress.hasColors?.() === true });
  const current = (): readonly KubeObject[] =>
    awaited.flatMap(({ object }) => {
      const now = store.get(keyOf(object));
      return now === undefined ? [] : [now];
    });
  if (isTerminal) {
    screen.follow(() => current().map((object) => renderLine(factOf(object))));
    return store.subscribe(screen.redraw);
  }
  const uids = new Set(awaited.map(({ object }) => object.metadata.uid));
  const tell = tellChanges(screen.print);
  return store.subscribe((change) => {
    if (uids.has(change.object.metadata.uid)) tell(change);
  });
}
