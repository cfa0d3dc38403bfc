/** Arranges an inventory as files of manifests. Pure. */
import { bindingItem, clusterItem } from "./clusters.ts";
import { contextOf, documentOf, type Document, type Home, type Item } from "./documents.ts";
import type { FoundCluster, FoundProject, Inventory } from "./inventory.ts";
import { applicationItem, databaseItem, environmentItem, otherService, projectItem, type Place } from "./kinds.ts";

export interface File {
  /** Without its extension. */
  readonly name: string;
  readonly documents: readonly Document[];
}

/** @returns one file for each project, and one for the clusters if there are any */
export function filesOf({ projects, clusters }: Inventory, home: Home): readonly File[] {
  const inProjects = projects.map((project) => ({ id: project.record.id, parts: projectParts(project) }));
  const inClusters = clusters.flatMap(clusterItems);
  const items = [...inProjects.flatMap(({ parts }) => parts), ...inClusters].filter(isItem);
  const context = contextOf(items, home);
  const documents = (parts: readonly (Item | Document)[]): readonly Document[] =>
    parts.map((part) => (isItem(part) ? documentOf(part, context) : part));
  return [
    ...(inClusters.length > 0 ? [{ name: "clusters", documents: documents(inClusters) }] : []),
    ...inProjects.map(({ id, parts }) => ({ name: `project-${context.nameOf(id)}`, documents: documents(parts) })),
  ];
}

function isItem(part: Item | Document): part is Item {
  return "describe" in part;
}

function projectParts({ record, environments }: FoundProject): readonly (Item | Document)[] {
  return [
    projectItem(record),
    ...environments.flatMap((found) => {
      const place: Place = { id: found.id, environment: found.record?.name ?? "environment", project: record.name };
      return [
        environmentItem(record, found),
        ...found.databases.map((database) => databaseItem(database, place)),
        ...found.applications.map((application) => applicationItem(application, place)),
        ...found.others.map(otherService),
      ];
    }),
  ];
}

function clusterItems(found: FoundCluster): readonly Item[] {
  return [clusterItem(found), ...(found.binding === undefined ? [] : [bindingItem(found, found.binding)])];
}
