/** The invariant of every run: nothing happens twice. */
import type { Surface } from "../../../simulator/base/operations.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { stringMember } from "../../../src/kube/api/json.ts";
import { COMMIT } from "../../support/kube/manifests.ts";
import { isDuplicateCreate, mayRepeatOnce } from "../effects.ts";
import type { InProcessPlatform } from "./platform.ts";

/**
 * Returns the creates, deployments and stops that happened too often.
 * @param surface the platform's, for `mayRepeatOnce`
 * @param requested how often the user requested a repetition of a database action
 */
export function repeated(platform: InProcessPlatform, requested: number, surface: Surface): readonly string[] {
  let done: readonly string[] = [];
  const repeatable = new Set<string>();
  for (const call of platform.calls()) {
    if (mayRepeatOnce(surface, call.operation ?? "")) repeatable.add(call.path);
    // An import does not replace a secret. An update does, after which the same commit is deployed again.
    if (call.operation === "updateApplicationSecret") done = done.filter((action) => !action.endsWith(` at ${COMMIT}`));
    done = [...done, ...onceOnly(call)];
  }
  const groups = [...Map.groupBy(done, (action) => action)];
  return groups.flatMap(([action, { length }]) => {
    const causes = 1 + (action.startsWith("/database/") ? requested : 0);
    const limit = repeatable.has(action.split(" at ")[0] ?? "") ? 2 * causes : causes;
    return length > limit ? [`${action}: ${length} times`] : [];
  });
}

function onceOnly({ operation, path, body, status, effects }: CallEntry): readonly string[] {
  const creation = `${operation} ${stringMember(body, "name") ?? ""}`;
  if (isDuplicateCreate({ operation, status })) return [creation];
  return effects.flatMap((effect) => {
    if ("deployed" in effect) return [`${path} at ${effect.commit}`];
    if ("stopped" in effect) return [path];
    return "created" in effect ? [creation] : [];
  });
}
