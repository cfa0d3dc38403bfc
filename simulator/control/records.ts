import { Problem } from "../base/problems.ts";
import { markEdited, setClusterState, setServiceState } from "../model/state-changes.ts";
import {
  removeEnvironment,
  removeProject,
  removeService,
  type Cluster,
  type Service,
  type World,
} from "../model/world.ts";
import type { Simulation } from "../request/simulation.ts";

/** Maps of the world whose entries have no id of their own, or are never edited. */
const OTHERS: ReadonlySet<string> = new Set<keyof World>(["organizations", "manifests", "deletedIds"]);

/** @returns the records that tests can read, edit and remove without the operator, by kind and id */
function recordsOf(world: World): Readonly<Record<string, Map<string, object>>> {
  return Object.fromEntries(Object.entries<unknown>(world).filter(areRecords));
}

function areRecords(entry: [kind: string, records: unknown]): entry is [string, Map<string, object>] {
  return entry[1] instanceof Map && !OTHERS.has(entry[0]);
}

/** @returns the record of that id, of any kind. @throws Problem 404 */
export function findRecord(world: World, id: string): object {
  for (const records of Object.values(recordsOf(world))) {
    const record = records.get(id);
    if (record !== undefined) return record;
  }
  throw new Problem(404, `no record with id ${id}`);
}

/**
 * Edits a record like another user of the platform. Members are those of the world's records (`name`, `state`,
 * `failNext`, `stuck`, `script`, `lock`, `binding`, …); any other member of a service is one of its settings. A state
 * may be undocumented.
 * @throws Problem 404, or 400 for a member that the record does not have.
 */
export function editRecord(sim: Simulation, id: string, members: Readonly<Record<string, unknown>>): object {
  const record = findRecord(sim.world, id);
  const now = sim.time.virtual();
  const { state, ...rest } = members;
  const service = sim.world.services.get(id);
  const cluster = sim.world.clusters.get(id);
  if (typeof state === "string") setState(sim, service, cluster, state, now);
  for (const [member, value] of Object.entries(rest)) {
    if (Object.hasOwn(record, member)) Object.assign(record, { [member]: value });
    else if (service === undefined) throw new Problem(400, `the record has no member ${member}`);
    else service.settings = { ...service.settings, [member]: value };
  }
  if (service !== undefined && Object.keys(rest).some((member) => isConfiguration(member))) markEdited(service);
  return record;
}

/** Members of a service's record that are not part of its configuration. */
const machinery: ReadonlySet<string> = new Set([
  "failNext",
  "stuck",
  "script",
  "deploymentStatus",
  "commit",
  "requestId",
  "executionId",
  "lastDeploymentDate",
  "lastDurationSeconds",
  "log",
]);

function isConfiguration(member: string): boolean {
  return !machinery.has(member);
}

function setState(
  sim: Simulation,
  service: Service | undefined,
  cluster: Cluster | undefined,
  state: string,
  at: number,
): void {
  if (service !== undefined) setServiceState(sim, service, state, at);
  else if (cluster !== undefined) setClusterState(sim, cluster, state, at);
  else throw new Problem(400, "the record has no state");
}

/** Removes a record at once, with its children, as if it had been deleted. @throws Problem 404 */
export function removeRecord({ world }: Simulation, id: string): void {
  findRecord(world, id);
  const project = world.projects.get(id);
  const environment = world.environments.get(id);
  const service = world.services.get(id);
  if (project !== undefined) removeProject(world, project);
  else if (environment !== undefined) removeEnvironment(world, environment);
  else if (service !== undefined) removeService(world, service);
  else for (const records of Object.values(recordsOf(world))) records.delete(id);
}

/** @returns the world as data, without the values of secret variables. For the control port of tests. */
export function dumpWorld(world: World): Record<string, unknown> {
  const lists = Object.entries(recordsOf(world)).map(([kind, records]) => [kind, [...records.values()]] as const);
  const variables = [...world.variables.values()];
  return {
    organizations: [...world.organizations.values()],
    ...Object.fromEntries(lists),
    variables: variables.map((variable) => (variable.secret ? { ...variable, value: "***" } : variable)),
    manifests: [...world.manifests.values()],
    templates: world.templates,
    repositories: world.repositories,
  };
}
