/** Writes an inventory as files of manifests. Pure. */
import { clusterDocuments } from "./clusters.ts";
import type { FoundEnvironment, FoundProject, Inventory } from "./inventory.ts";
import { documentOf, type Document } from "./manifests.ts";
import { scribeOf, unlessHeld, type Home, type Scribe } from "./scribe.ts";
import { applicationDocument, databaseDocument, otherService } from "./services.ts";

export interface File {
  /** Without its extension. */
  readonly name: string;
  readonly documents: readonly Document[];
}

/** @returns one file for each project, and one for the clusters if there are any */
export function filesOf(inventory: Inventory, home: Home): readonly File[] {
  const scribe = scribeOf(inventory, home);
  const projects = inventory.projects.map((project) => ({
    name: `project-${scribe.nameOf(project.record.id)}`,
    documents: projectDocuments(project, scribe),
  }));
  const clusters = inventory.clusters.flatMap((cluster) => clusterDocuments(cluster, scribe));
  return [...(clusters.length > 0 ? [{ name: "clusters", documents: clusters }] : []), ...projects];
}

function projectDocuments({ record, environments }: FoundProject, scribe: Scribe): readonly Document[] {
  const project = unlessHeld(scribe, "PlatformProject", record.id, () =>
    documentOf({
      kind: "PlatformProject",
      name: scribe.nameOf(record.id),
      namespace: scribe.namespace,
      spec: {
        connectionRef: scribe.connectionRef,
        name: record.name,
        description: record.description === "" ? undefined : record.description,
        externalId: record.id,
        lifecycle: scribe.lifecycle,
      },
    }),
  );
  return [project, ...environments.flatMap((environment) => environmentDocuments(record.id, environment, scribe))];
}

function environmentDocuments(projectId: string, found: FoundEnvironment, scribe: Scribe): readonly Document[] {
  const { id, record, serviceCount } = found;
  const environment = unlessHeld(scribe, "PlatformEnvironment", id, () => ({
    ...documentOf({
      kind: "PlatformEnvironment",
      name: scribe.nameOf(id),
      namespace: scribe.namespace,
      spec: {
        projectRef: { name: scribe.nameOf(projectId) },
        name: record?.name ?? "FILL-IN",
        mode: record?.mode,
        clusterRef: record?.clusterId === undefined ? { externalId: "FILL-IN" } : scribe.clusterRef(record.clusterId),
        externalId: id,
        lifecycle: scribe.lifecycle,
      },
    }),
    ...(record === undefined ? { disabled: true as const, comments: unseen(serviceCount) } : {}),
  }));
  return [
    environment,
    ...found.databases.map((database) => databaseDocument(id, database, scribe)),
    ...found.applications.map((application) => applicationDocument(id, application, scribe)),
    ...found.others.map(otherService),
  ];
}

function unseen(serviceCount: number | undefined): readonly string[] {
  const services = serviceCount === undefined ? "its services" : `its services (${serviceCount})`;
  return [
    `Of this environment the platform shows nothing but its id; it does not list ${services} either.`,
    "Fill in name and cluster, and take the comment signs away, to have it adopted.",
    "A service can be adopted by spec.externalId where its connection lets such ids stand (allowUnverifiedIds).",
  ];
}
