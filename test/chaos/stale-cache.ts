/** Makes the operator's caches stale: lists answer with an earlier state, watches send nothing. */
import { TYPES } from "../../src/config/kinds.ts";
import { isObject } from "../../src/kube/api/json.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import type { Json } from "../../src/kube/api/types.ts";
import type { ChaosEnv } from "./env.ts";
import type { Call, Decision, Watch } from "./tap/call.ts";

/** The lists of a namespace at one time, by the plural of the kind. */
export type Snapshot = ReadonlyMap<string, Json>;

/** Returns a snapshot without objects, at the current resource version. */
export async function emptySnapshot(env: ChaosEnv): Promise<Snapshot> {
  const lists = [...(await snapshot(env))];
  return new Map(lists.map(([plural, list]) => [plural, isObject(list) ? { ...list, items: [] } : null]));
}

export async function snapshot(env: ChaosEnv): Promise<Snapshot> {
  const namespaced = TYPES.filter((type) => type.namespaced);
  const lists = await Promise.all(
    namespaced.map((type) => env.client.request({ method: "GET", path: collectionPath(type, env.namespace) })),
  );
  return new Map(namespaced.map(({ plural }, index) => [plural, lists[index] ?? null]));
}

/** The watch event for a resource version that is too old. */
export const EXPIRED = JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });

/** Returns an interceptor that forwards everything until `serve`. */
export function createStaleCache() {
  const watches: Watch[] = [];
  /** Kinds whose last list was stale: a watch that continues from there would never report the difference. */
  const stale = new Set<string>();
  let served: Snapshot | undefined;
  return {
    decide: ({ side, what }: Call): Decision => {
      const [, verb, plural = ""] = what.split(" ");
      if (side !== "kube" || verb !== "LIST") return { do: "forward" };
      const list = served?.get(plural);
      if (list === undefined) stale.delete(plural);
      else stale.add(plural);
      return list === undefined ? { do: "forward" } : { do: "answer", status: 200, body: JSON.stringify(list) };
    },
    onWatch: (watch: Watch): void => {
      watches.push(watch);
      if (served !== undefined) watch.hold();
      else if (stale.has(watch.plural)) watch.inject(EXPIRED);
    },
    /** Serves lists from a snapshot and silences watches; open watches receive EXPIRED. */
    serve: (past: Snapshot): void => {
      served = past;
      for (const watch of watches) {
        watch.hold();
        watch.inject(EXPIRED);
      }
    },
    /** Serves the current state again; open watches receive EXPIRED. */
    restore: (): void => {
      served = undefined;
      for (const watch of watches) {
        watch.release();
        watch.inject(EXPIRED);
      }
    },
  };
}

/** Returns the operator's writes to the platform after call `k`, in order, e.g. "deleteProject shop". */
export function changesSince(env: ChaosEnv, k: number): readonly string[] {
  return env.calls
    .filter((call) => call.k > k && call.side === "platform" && call.method !== "GET")
    .map(({ what }) => what.replace("platform ", ""));
}
