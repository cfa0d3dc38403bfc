/**
 * Measures how long a new generation takes until its first request to the platform, and until the resource is Ready,
 * for the objectives in helm-chart/files/alerts.yaml. Only the replica that leads reports it.
 */
import type { Histogram, Registry } from "prom-client";

import { isPaused } from "../../api/paused.ts";
import { keyText, parseKey } from "../../engine/contract/keys.ts";
import { isSettled, isStalled } from "../../engine/contract/status.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { StoreChange } from "../../kube/watch/store.ts";
import { instruments } from "./instruments.ts";
import { isBeforeWork, type OperationFigures } from "./operations.ts";

export type ApplyFigures = Pick<OperationFigures, "kinds" | "leading" | "now">;

/** Up to the objective, 30 s, and beyond. */
const CALL_SECONDS = [1, 5, 15, 30, 60, 300];
/** Up to the objective, 15 minutes, and beyond. */
const READY_SECONDS = [15, 60, 300, 900, 1_800, 3_600];

/** A generation that is not Ready yet. */
interface Apply {
  /** When the generation was seen, or when its wait for another resource or a person ended, in milliseconds. */
  since: number;
  /** True once the time to the first request is reported or cannot be measured. */
  isCalled: boolean;
}

/**
 * Makes the two histograms. A generation is measured from when it is seen; it is dropped when it is Stalled, paused,
 * deleted or replaced by the next one. After a wait for another resource or an approval, its time to
 * Ready starts anew, and its first request is not measured.
 */
export function applyMetrics(registry: Registry, { kinds, leading, now }: ApplyFigures) {
  const { histogram } = instruments(registry);
  const calls = histogram("platform_operator_apply_to_call_seconds", ["kind"], CALL_SECONDS);
  const readies = histogram("platform_operator_apply_to_ready_seconds", ["kind"], READY_SECONDS);
  for (const kind of kinds) for (const metric of [calls, readies]) metric.zero({ kind });
  const applies = new Map<string, Apply>();
  const observe = (metric: Histogram<"kind">, kind: string, since: number): void => {
    metric.observe({ kind }, Math.max(0, now().getTime() - since) / 1_000);
  };
  return {
    /** Follows a change of the cache. */
    changed: (change: StoreChange): void => {
      if (!leading()) return;
      const { object } = change;
      const key = keyText(keyOf(object));
      const since = now().getTime();
      if (change.type === "deleted" || isDropped(object)) applies.delete(key);
      else if (begins(change)) applies.set(key, { since, isCalled: false });
      const apply = applies.get(key);
      if (apply === undefined) return;
      if (isSettled(object)) {
        observe(readies, object.kind, apply.since);
        applies.delete(key);
      } else if (isBeforeWork(object) || (change.type === "updated" && isBeforeWork(change.old))) {
        applies.set(key, { since, isCalled: true });
      }
    },
    /** Follows a request that is sent to the platform within the reconcile of an object. */
    called: (key: string): void => {
      const apply = applies.get(key);
      if (apply === undefined || apply.isCalled) return;
      apply.isCalled = true;
      observe(calls, parseKey(key).kind, apply.since);
    },
  };
}

function isDropped(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined || isPaused(object) || isStalled(object);
}

function begins(change: StoreChange): boolean {
  const { metadata } = change.object;
  if (change.type !== "updated") return !isSettled(change.object);
  return change.old.metadata.generation !== metadata.generation || change.old.metadata.uid !== metadata.uid;
}
