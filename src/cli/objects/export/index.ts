/**
 * The command `export`: writes the platform's objects as YAML that adopts them, and changes nothing on the platform
 * when it is applied.
 */
import { platformBinding } from "../../../kinds/binding/crd.ts";
import { platformCluster } from "../../../kinds/cluster/crd.ts";
import { member, stringMember } from "../../../kube/api/json.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import type { Call } from "../../base/call.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { explain, isExpected } from "../../base/explain.ts";
import { writeFiles } from "../../base/io.ts";
import { printText } from "../../base/render.ts";
import { surfaceOf } from "../../base/surface.ts";
import { listObjects } from "../shared/listing.ts";
import { bindingId, bindingItem, clusterItem } from "./clusters.ts";
import { exportContext, documentOf, yamlOf, type Document, type Home, type ExportItem } from "./documents.ts";
import { readInventory, type FoundCluster, type FoundProject, type Inventory } from "./inventory.ts";
import {
  applicationItem,
  databaseItem,
  environmentItem,
  otherService,
  projectItem,
  type ServicePlace,
} from "./kinds.ts";
import { webhookItem } from "./webhooks.ts";

interface ExportOptions {
  readonly project: readonly string[];
  readonly observeOnly?: boolean | undefined;
  /** A directory. */
  readonly output?: string | undefined;
}

export async function exportCommand(call: Call, { project, observeOnly, output }: ExportOptions): Promise<void> {
  const { io, report } = call;
  const cluster = await call.cluster();
  const access = await call.access();
  const surface = await surfaceOf(access);
  const only = project.length === 0 ? undefined : project;
  const inventory = await readInventory({ platform: access.platform, surface, only, report });
  refuseUnknown(only, inventory);
  const { kind, metadata } = access.connection;
  const files = filesOf(inventory, {
    namespace: cluster.namespace,
    connectionRef: metadata.name === "default" ? undefined : { kind, name: metadata.name },
    observeOnly: observeOnly === true,
    present: await presentIn(cluster, report),
  });
  const notes = notesOf(inventory);
  for (const note of notes) report(note);
  if (output === undefined) {
    const documents = files.flatMap((file) => file.documents);
    printText({ io }, yamlOf(documents, notes));
    return;
  }
  const named = files.map(({ name, documents }, at) => ({
    name: `${name}.yaml`,
    text: yamlOf(documents, at === 0 ? notes : []),
  }));
  await writeFiles(output, named);
  report(`Wrote ${files.length} ${files.length === 1 ? "file" : "files"} to ${output}.`);
}

function refuseUnknown(only: readonly string[] | undefined, { projects }: Inventory): void {
  const found = new Set(projects.flatMap(({ record }) => [record.id, record.name]));
  const missing = only?.find((wanted) => !found.has(wanted));
  if (missing !== undefined) throw new CliError(`The organization has no project ${JSON.stringify(missing)}.`);
}

/** Returns the namespace's resources. Those that the user may not see count as absent: apply would report them. */
async function presentIn(cluster: ClusterClient, report: (line: string) => void): Promise<Home["present"]> {
  try {
    const objects = await listObjects({ cluster, namespace: cluster.namespace, report });
    return objects.map((object) => {
      const { kind, metadata } = object;
      return { kind, name: metadata.name, id: kind === platformBinding.kind ? boundTo(object, objects) : idOf(object) };
    });
  } catch (error) {
    if (!isExpected(error)) throw error;
    report(`The existing custom resources could not be read: ${explain(error).message}`);
    return [];
  }
}

function idOf({ status, spec }: KubeObject): string | undefined {
  return stringMember(status, "externalId") ?? stringMember(spec, "externalId");
}

/** Returns the id of a binding (bindingId); undefined while its cluster has no id. */
function boundTo({ spec }: KubeObject, objects: readonly KubeObject[]): string | undefined {
  const reference = member(spec, "clusterRef");
  const name = stringMember(reference, "name");
  const cluster = objects.find((one) => one.kind === platformCluster.kind && one.metadata.name === name);
  const id = stringMember(reference, "externalId") ?? (cluster && idOf(cluster));
  return id === undefined ? undefined : bindingId(id);
}

function notesOf({ surface, gaps }: Inventory): readonly string[] {
  const unseen =
    "This platform shows only the ids of environments and the number of their services. Comments replace what it does not show.";
  const webhooks = "The platform does not show webhooks: write their manifests manually.";
  return [...(surface === "Full" ? [] : [unseen, webhooks]), ...gaps];
}

/**
 * @returns one file for each project, and one each for the clusters and the webhooks if there are any; names are
 * without extension
 */
export function filesOf({ projects, clusters, webhooks }: Inventory, home: Home) {
  const inProjects = projects.map((project) => ({ id: project.record.id, parts: projectParts(project) }));
  const ofOrganization = [
    { name: "clusters", parts: clusters.flatMap(clusterItems) },
    { name: "webhooks", parts: webhooks.map(webhookItem) },
  ].filter(({ parts }) => parts.length > 0);
  const items = [...inProjects, ...ofOrganization].flatMap(({ parts }) => parts).filter(isItem);
  const context = exportContext(items, home);
  const documents = (parts: readonly (ExportItem | Document)[]): readonly Document[] =>
    parts.map((part) => (isItem(part) ? documentOf(part, context) : part));
  return [
    ...ofOrganization.map(({ name, parts }) => ({ name, documents: documents(parts) })),
    ...inProjects.map(({ id, parts }) => ({ name: `project-${context.nameOf(id)}`, documents: documents(parts) })),
  ];
}

function isItem(part: ExportItem | Document): part is ExportItem {
  return "describe" in part;
}

function projectParts({ record, environments }: FoundProject): readonly (ExportItem | Document)[] {
  return [
    projectItem(record),
    ...environments.flatMap((found) => {
      const place: ServicePlace = {
        id: found.id,
        environment: found.record?.name ?? "environment",
        project: record.name,
      };
      return [
        environmentItem(record, found),
        ...found.databases.map((database) => databaseItem(database, place)),
        ...found.applications.map((application) => applicationItem(application, place)),
        ...found.others.map(otherService),
      ];
    }),
  ];
}

function clusterItems(found: FoundCluster): readonly ExportItem[] {
  return [clusterItem(found), ...(found.binding === undefined ? [] : [bindingItem(found, found.binding)])];
}
