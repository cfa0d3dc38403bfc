/** Reads what is on the platform. It writes nothing. */
import type { Project } from "../../../platform/areas/projects.ts";
import type { Template } from "../../../platform/areas/templates.ts";
import type { Variable } from "../../../platform/areas/variables.ts";
import type { Platform } from "../../../platform/index.ts";
import { ApiError } from "../../../platform/transport/errors.ts";
import type { FoundApplication, FoundCluster, FoundEnvironment, FoundProject, Inventory } from "./inventory.ts";

export interface Survey {
  readonly platform: Platform;
  readonly surface: Inventory["surface"];
  /** Names or ids of projects; undefined for all, with the clusters. */
  readonly only: readonly string[] | undefined;
  /** Takes one line on what is being read. */
  readonly tell: (line: string) => void;
}

/**
 * Reads everything. What the platform refuses or does not show becomes a gap; the rest is read nevertheless.
 * @throws ApiError when not even the projects can be listed
 */
export async function takeInventory({ platform, surface, only, tell }: Survey): Promise<Inventory> {
  const gaps: string[] = [];
  const reader = createReader(platform, surface, gaps);
  const all = await platform.projects.list();
  const chosen = only === undefined ? all : all.filter(({ id, name }) => only.includes(id) || only.includes(name));
  const projects: FoundProject[] = [];
  for (const record of chosen.toSorted(byName)) {
    tell(`reading project ${JSON.stringify(record.name)}`);
    projects.push(await reader.project(record));
  }
  const clusters = only === undefined && surface === "Full" ? await reader.clusters() : [];
  return { surface, projects, clusters, gaps };
}

function createReader(platform: Platform, surface: Inventory["surface"], gaps: string[]) {
  /** One after the other, as the rate budget is shared with the operator. */
  const each = async <T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<readonly R[]> => {
    const found: R[] = [];
    for (const item of items) found.push(await read(item));
    return found;
  };
  /** What cannot be read is a gap; what does not exist is just not there. */
  const orGap = async <T>(what: string, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.failure.is !== "NotFound") gaps.push(`${what} could not be read: ${error.message}.`);
      return undefined;
    }
  };

  const environment = async (id: string, count: number | undefined, records: Records): Promise<FoundEnvironment> => {
    const record = records?.find((one) => one.id === id);
    const base = { id, serviceCount: count, record };
    if (surface === "Documented") return { ...base, applications: [], databases: [], others: [] };
    const what = `Environment ${JSON.stringify(record?.name ?? id)}`;
    const services = (await orGap(`${what}: its services`, platform.services.list(id))) ?? [];
    const states = new Map(
      ((await orGap(`${what}: its states`, platform.services.statuses(id))) ?? []).map((one) => [one.id, one.state]),
    );
    const applications = (await orGap(`${what}: its applications`, platform.applications.list(id))) ?? [];
    const databases = (await orGap(`${what}: its databases`, platform.databases.list(id))) ?? [];
    const known = new Set([...applications, ...databases].map((one) => one.id));
    return {
      ...base,
      applications: await each(applications.toSorted(byName), async (application) => ({
        record: application,
        state: states.get(application.id),
        ...(await keys(application.id, JSON.stringify(application.name))),
      })),
      databases: databases.toSorted(byName).map((database) => ({ record: database, state: states.get(database.id) })),
      others: services.filter((service) => !known.has(service.id)).toSorted(byName),
    };
  };

  const keys = async (id: string, name: string): Promise<Pick<FoundApplication, "variables" | "secrets">> => {
    const variables = await orGap(`Application ${name}: its variables`, platform.variables.list(id));
    const secrets = await orGap(`Application ${name}: its secrets`, platform.variables.listSecrets(id));
    return { variables: variables?.filter(isOwn).map(keyOf), secrets: secrets?.filter(isOwn).map(keyOf) };
  };

  const cluster = async (record: FoundCluster["record"], templates: readonly Template[]): Promise<FoundCluster> => ({
    record,
    templates,
    status: await orGap(`Cluster ${JSON.stringify(record.name)}`, platform.clusters.status(record.id)),
    binding: await orGap(
      `The binding of cluster ${JSON.stringify(record.name)}`,
      platform.templates.binding(record.id),
    ),
  });

  return {
    project: async (record: Project): Promise<FoundProject> => {
      const what = `Project ${JSON.stringify(record.name)}: its environments`;
      const counts = (await orGap(what, platform.projects.environmentStats(record.id))) ?? [];
      const records = surface === "Full" ? await orGap(what, platform.environments.list(record.id)) : undefined;
      const ids = [
        ...new Set([...(records ?? []).toSorted(byName).map(({ id }) => id), ...counts.map(({ id }) => id)]),
      ];
      const environments = await each(ids, (id) =>
        environment(id, counts.find((one) => one.id === id)?.serviceTotalNumber, records),
      );
      return { record, environments };
    },
    clusters: async (): Promise<readonly FoundCluster[]> => {
      const templates = (await orGap("The templates", platform.templates.list())) ?? [];
      const clusters = (await orGap("The clusters", platform.clusters.list())) ?? [];
      return each(clusters.toSorted(byName), (record) => cluster(record, templates));
    },
  };
}

type Records = Awaited<ReturnType<Platform["environments"]["list"]>> | undefined;

/** Lists hold inherited variables too; where a scope is shown it tells them apart. */
function isOwn({ scope }: Variable): boolean {
  return scope === undefined || scope === "APPLICATION";
}

const keyOf = ({ key }: Variable): string => key;

function byName(left: { readonly name: string; readonly id: string }, right: typeof left): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : left.id < right.id ? -1 : 1;
}
