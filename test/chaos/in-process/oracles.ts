/** What must hold of every run, whatever went wrong in it. */
import { stringMember } from "../../../src/kube/json.ts";
import type { CallEntry } from "../../../src/simulator/journal.ts";
import type { World } from "../../../src/simulator/world.ts";
import { COMMIT } from "../../support/manifests.ts";
import type { InProcessPlatform } from "./platform.ts";

/** What the platform holds, without ids and times: the same after every run. */
export function holdings({ projects, environments, services, variables, clusters }: World): readonly string[] {
  const nameOf = (id: string): string =>
    (services.get(id) ?? environments.get(id) ?? projects.get(id))?.name ?? "nothing";
  return [
    ...[...projects.values()].map(({ name, description }) => `project ${name}: ${description}`),
    ...[...environments.values()].map(
      ({ name, projectId, mode }) => `environment ${nameOf(projectId)}/${name}: ${mode}`,
    ),
    ...[...services.values()].map(
      ({ kind, name, environmentId, state, commit, settings }) =>
        `${kind} ${nameOf(environmentId)}/${name}: ${state} ${commit} memory ${String(settings["memory"])}`,
    ),
    ...[...variables.values()].map(
      ({ key, value, parentId, scope }) => `${scope} of ${nameOf(parentId)}: ${key}=${value}`,
    ),
    ...[...clusters.values()].map(({ name, binding }) => `cluster ${name}: ${binding?.templateKey ?? "not bound"}`),
  ]
    .filter((line) => !line.includes("BUILT_IN"))
    .toSorted();
}

/**
 * What was done more often than once, of all that must not happen twice.
 * @param orders how often a person had an order to a database given again
 */
export function repeated(platform: InProcessPlatform, orders: number): readonly string[] {
  let done: readonly string[] = [];
  for (const call of platform.calls()) {
    // An import does not replace a secret, as which a lost one left it. Once the surface is known to have what does, it
    // is replaced, and only a deployment brings that out.
    if (call.operation === "updateApplicationSecret") done = done.filter((each) => !each.endsWith(` at ${COMMIT}`));
    done = [...done, ...onceOnly(call)];
  }
  const groups = [...Map.groupBy(done, (each) => each)];
  return groups.flatMap(([what, { length }]) => {
    const most = what.startsWith("/database/") ? 1 + orders : 1;
    return length > most ? [`${what}: ${length} times`] : [];
  });
}

function onceOnly({ operation, path, body, status, effects }: CallEntry): readonly string[] {
  const creation = `${operation} ${stringMember(body, "name") ?? ""}`;
  // What is created already is not asked for again, even where the platform refuses it.
  if (status === 409 && operation?.startsWith("create") === true) return [creation];
  return effects.flatMap((effect) => {
    if ("deployed" in effect) return [`${path} at ${effect.commit}`];
    if ("stopped" in effect) return [path];
    return "created" in effect ? [creation] : [];
  });
}
