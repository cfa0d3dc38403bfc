/** Waiting until objects have done what they were asked to, and telling how it goes meanwhile. */
import { factOf, isReady } from "../../console/tree/facts.ts";
import { pause } from "../../kube/api/clock.ts";
import { member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { Clock, KubeObject } from "../../kube/api/types.ts";
import type { Store } from "../../kube/watch/store.ts";
import type { Stream } from "../base/io.ts";
import { aborted } from "./shared/aborted.ts";
import { tellChanges } from "./shared/changes.ts";
import { renderLine } from "./shared/drawing.ts";
import { createScreen } from "./shared/screen.ts";

/** An object and the reconcile request that it was given. */
export interface Awaited {
  readonly object: KubeObject;
  readonly token: string;
}

export interface Waiting {
  readonly store: Store;
  readonly awaited: readonly Awaited[];
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Where progress is shown: in place on a terminal, else a line for every change. */
  readonly progress: Stream;
  readonly interrupt: AbortSignal;
}

/** "over": every object is Ready, stalled or gone. */
export type Outcome = "over" | "timeout" | "interrupted";

/** Resolves when all have answered their request, or earlier. */
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

/** How one object stands: still working, or how it ended. */
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
