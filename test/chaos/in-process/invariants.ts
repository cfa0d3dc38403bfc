/** What must hold of every run, whatever went wrong in it. */
import type { Surface } from "../../../simulator/base/operations.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { stringMember } from "../../../src/kube/api/json.ts";
import { COMMIT } from "../../support/kube/manifests.ts";
import { asksForMore, repeatableOnce } from "../effects.ts";
import type { InProcessPlatform } from "./platform.ts";

/**
 * What was done more often than once, of all that must not happen twice.
 * @param surface of the platform: see `repeatableOnce`
 * @param orders how often a person had an order to a database given again
 */
export function repeated(platform: InProcessPlatform, orders: number, surface: Surface): readonly string[] {
  let done: readonly string[] = [];
  const repeatable = new Set<string>();
  for (const call of platform.calls()) {
    if (repeatableOnce(surface, call.operation ?? "")) repeatable.add(call.path);
    // An import does not replace a secret, as which a lost one left it. Once the surface is known to have what does, it
    // is replaced, and only a deployment brings that out.
    if (call.operation === "updateApplicationSecret") done = done.filter((each) => !each.endsWith(` at ${COMMIT}`));
    done = [...done, ...onceOnly(call)];
  }
  const groups = [...Map.groupBy(done, (each) => each)];
  return groups.flatMap(([what, { length }]) => {
    const ordered = 1 + (what.startsWith("/database/") ? orders : 0);
    const most = repeatable.has(what.split(" at ")[0] ?? "") ? 2 * ordered : ordered;
    return length > most ? [`${what}: ${length} times`] : [];
  });
}

function onceOnly({ operation, path, body, status, effects }: CallEntry): readonly string[] {
  const creation = `${operation} ${stringMember(body, "name") ?? ""}`;
  // What is created already is not asked for again, even where the platform refuses it.
  if (asksForMore({ operation, status })) return [creation];
  return effects.flatMap((effect) => {
    if ("deployed" in effect) return [`${path} at ${effect.commit}`];
    if ("stopped" in effect) return [path];
    return "created" in effect ? [creation] : [];
  });
}
