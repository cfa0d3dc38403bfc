import type { Binding, World } from "../../simulator/model/world.ts";

/** Lists what the platform holds, without ids and times, which differ between runs. */
export function holdings(world: World): readonly string[] {
  const { projects, environments, services, variables, clusters, blueprints, webhooks } = world;
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
    ...[...clusters.values()].map(({ name, binding }) => `cluster ${name}: ${bound(binding)}`),
    ...[...blueprints.values()].map(
      ({ name, environmentId, tag }) => `blueprint ${nameOf(environmentId)}/${name}: ${tag}`,
    ),
    ...[...webhooks.values()].map(({ targetUrl, events }) => `webhook ${targetUrl}: ${events.join(", ")}`),
  ]
    .filter((line) => !line.includes("BUILT_IN"))
    .toSorted();
}

function bound(binding: Binding | null): string {
  if (binding === null) return "not bound";
  const { templateKey, templateVersion, layerSelections } = binding;
  return `${templateKey} ${templateVersion} ${JSON.stringify(layerSelections)}`;
}
