/** A cache that is behind: lists of an earlier time, watches that tell nothing. */
import { isObject } from "../../src/kube/api/json.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import type { Json } from "../../src/kube/api/types.ts";
import { TYPES } from "../../src/operator/config/caches.ts";
import type { ChaosEnv } from "./env.ts";
import type { Interceptor, Watch } from "./tap/call.ts";

/** What the lists of a bed's namespace answered at one time, by the plural of the kind. */
export type Past = ReadonlyMap<string, Json>;

/** @returns lists of nothing, as of now. */
export async function nothing(env: ChaosEnv): Promise<Past> {
  const lists = [...(await present(env))];
  return new Map(lists.map(([plural, list]) => [plural, isObject(list) ? { ...list, items: [] } : null]));
}

/** @returns the lists as they are now. */
export async function present(env: ChaosEnv): Promise<Past> {
  const namespaced = TYPES.filter((type) => type.namespaced);
  const lists = await Promise.all(
    namespaced.map((type) => env.client.request({ method: "GET", path: collectionPath(type, env.namespace) })),
  );
  return new Map(namespaced.map(({ plural }, index) => [plural, lists[index] ?? null]));
}

/** What a server sends whose history does not reach back to the version of a watch. */
export const EXPIRED = JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } });

/** A interceptor under which the operator can be made to see the past. */
export interface TimeMachine extends Interceptor {
  /** From now on lists answer what they did then and watches tell nothing; open ones are told to list again. */
  travel(past: Past): void;
  /** Lets the operator see what is; open watches are told to list again. */
  back(): void;
}

/** @returns a interceptor that lets everything pass until it is told to travel. */
export function timeMachine(): TimeMachine {
  const watches: Watch[] = [];
  /** Kinds whose last list was of the past: no watch that goes on from there would ever tell the difference. */
  const deceived = new Set<string>();
  let shown: Past | undefined;
  return {
    decide: ({ side, what }) => {
      const [, verb, plural = ""] = what.split(" ");
      if (side !== "kube" || verb !== "LIST") return { do: "forward" };
      const list = shown?.get(plural);
      if (list === undefined) deceived.delete(plural);
      else deceived.add(plural);
      return list === undefined ? { do: "forward" } : { do: "answer", status: 200, body: JSON.stringify(list) };
    },
    onWatch: (watch) => {
      watches.push(watch);
      if (shown !== undefined) watch.hold();
      else if (deceived.has(watch.plural)) watch.inject(EXPIRED);
    },
    travel: (past) => {
      shown = past;
      for (const watch of watches) {
        watch.hold();
        watch.inject(EXPIRED);
      }
    },
    back: () => {
      shown = undefined;
      for (const watch of watches) {
        watch.release();
        watch.inject(EXPIRED);
      }
    },
  };
}

/** What the operator asked the platform to change since a call, in order, e.g. "deleteProject shop". */
export function changesSince(env: ChaosEnv, k: number): readonly string[] {
  return env.calls
    .filter((call) => call.k > k && call.side === "platform" && call.method !== "GET")
    .map(({ what }) => what.replace("platform ", ""));
}
