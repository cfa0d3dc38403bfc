/** Reads the platform's objects. It writes nothing. */
import { unlessMissing } from "../../../kinds/shared/answers.ts";
import { isOfApplication } from "../../../kinds/variables/compare.ts";
import type { Environment } from "../../../platform/areas/environments.ts";
import type { Project } from "../../../platform/areas/projects.ts";
import type { Variable } from "../../../platform/areas/variables.ts";
import type { Platform } from "../../../platform/index.ts";
import { ApiError } from "../../../platform/transport/errors.ts";
import type { EffectiveSurface } from "../../base/surface.ts";

export type Inventory = Awaited<ReturnType<typeof readInventory>>;
export type FoundProject = Inventory["projects"][number];
export type FoundCluster = Inventory["clusters"][number];
export type FoundEnvironment = FoundProject["environments"][number];
export type FoundApplication = FoundEnvironment["applications"][number];
export type FoundDatabase = FoundEnvironment["databases"][number];

interface InventoryOptions {
  readonly platform: Platform;
  readonly surface: EffectiveSurface;
  /** Names or ids of projects; undefined for all, with the clusters and the webhooks. */
  readonly only: readonly string[] | undefined;
  /** Receives a line for each part that is being read. */
  readonly report: (line: string) => void;
}

/**
 * Reads everything, one request after the other, as the operator shares the rate budget. A read that fails becomes a
 * gap, and the rest is still read.
 * @throws ApiError when not even the projects can be listed
 */
export async function readInventory({ platform, surface, only, report }: InventoryOptions) {
  /** What could not be read, as sentences. */
  const gaps: string[] = [];
  /** Turns a failed read into a gap; an object that does not exist is no gap. */
  const orGap = async <T>(what: string, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await unlessMissing(read);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      gaps.push(`${what} could not be read: ${error.message}.`);
      return undefined;
    }
  };
  const all = await platform.projects.list();
  const chosen = only === undefined ? all : all.filter(({ id, name }) => only.includes(id) || only.includes(name));
  const projects = await readEach(chosen, async (record) => {
    report(`reading project ${JSON.stringify(record.name)}`);
    return { record, environments: await readEnvironments(record, { platform, surface, orGap }) };
  });
  // Nothing of the organization where the platform does not list it, or where single projects are exported.
  const isWhole = only === undefined && surface === "Full";
  const clusters = isWhole ? await readClusters({ platform, orGap }) : [];
  const webhooks = isWhole ? ((await orGap("The webhooks", platform.webhooks.list())) ?? []) : [];
  return { surface, projects, clusters, webhooks: webhooks.toSorted(byId), gaps };
}

/** Reads the records one after the other, in the order of their names. */
async function readEach<Item extends Named, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>) {
  const results: Result[] = [];
  for (const item of items.toSorted(byName)) results.push(await read(item));
  return results;
}

interface Reading {
  readonly platform: Platform;
  readonly surface: EffectiveSurface;
  readonly orGap: <T>(what: string, read: Promise<T>) => Promise<T | undefined>;
}

async function readEnvironments(project: Project, reading: Reading) {
  const { platform, surface, orGap } = reading;
  const what = `Project ${JSON.stringify(project.name)}: its environments`;
  const counts = (await orGap(what, platform.projects.environmentStats(project.id))) ?? [];
  const records = surface === "Full" ? await orGap(what, platform.environments.list(project.id)) : undefined;
  const sorted = (records ?? []).toSorted(byName);
  const environments = [];
  for (const id of new Set([...sorted, ...counts].map((one) => one.id))) {
    const record = sorted.find((one) => one.id === id);
    const serviceCount = counts.find((one) => one.id === id)?.serviceTotalNumber;
    environments.push({ id, serviceCount, record, ...(await readServices(id, record, reading)) });
  }
  return environments;
}

/**
 * Reads the services of an environment; the documented surface has no such read. A state is verbatim. A state, and the
 * keys of an application's own variables and secrets, are undefined when they could not be read. `others` are services
 * from blueprints, and of types without a custom resource.
 */
async function readServices(id: string, record: Environment | undefined, { platform, surface, orGap }: Reading) {
  if (surface === "Documented") return { applications: [], databases: [], others: [] };
  const what = `Environment ${JSON.stringify(record?.name ?? id)}`;
  const services = (await orGap(`${what}: its services`, platform.services.list(id))) ?? [];
  const statuses = (await orGap(`${what}: its states`, platform.services.statuses(id))) ?? [];
  const states = new Map(statuses.map((one) => [one.id, one.state]));
  const applications = (await orGap(`${what}: its applications`, platform.applications.list(id))) ?? [];
  const databases = (await orGap(`${what}: its databases`, platform.databases.list(id))) ?? [];
  const known = new Set([...applications, ...databases].map((one) => one.id));
  return {
    applications: await readEach(applications, async (record) => {
      const name = `Application ${JSON.stringify(record.name)}`;
      const variables = await orGap(`${name}: its variables`, platform.variables.list(record.id));
      const secrets = await orGap(`${name}: its secrets`, platform.secrets.list(record.id));
      return { record, state: states.get(record.id), variables: ownKeys(variables), secrets: ownKeys(secrets) };
    }),
    databases: databases.toSorted(byName).map((database) => ({ record: database, state: states.get(database.id) })),
    others: services.filter((service) => !known.has(service.id)).toSorted(byName),
  };
}

/** Reads the clusters with their bindings, and the templates, which show which values of a binding are sensitive. */
async function readClusters({ platform, orGap }: Omit<Reading, "surface">) {
  const templates = (await orGap("The templates", platform.templates.list())) ?? [];
  const records = (await orGap("The clusters", platform.clusters.list())) ?? [];
  return readEach(records, async (record) => {
    const name = JSON.stringify(record.name);
    const status = await orGap(`Cluster ${name}`, platform.clusters.status(record.id));
    const binding = await orGap(`The binding of cluster ${name}`, platform.templates.binding(record.id));
    return { record, status, binding, templates };
  });
}

function ownKeys(variables: readonly Variable[] | undefined): readonly string[] | undefined {
  return variables?.filter(isOfApplication).flatMap(({ key }) => (key === undefined ? [] : [key]));
}

interface Named {
  readonly name: string;
  readonly id: string;
}

function byName(left: Named, right: Named): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : byId(left, right);
}

function byId(left: Pick<Named, "id">, right: Pick<Named, "id">): number {
  return left.id < right.id ? -1 : 1;
}
