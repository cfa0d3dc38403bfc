/** What all manifests of an export have in common: names, what is there already, policies. Pure. */
import type { Inventory } from "./inventory.ts";
import type { Document, SpecData } from "./manifests.ts";
import { namesFor, type Nameless } from "./names.ts";

/** What the manifests are written for. */
export interface Home {
  readonly namespace: string;
  /** The connection to name in every root; undefined for the namespace's default. */
  readonly connectionRef: SpecData | undefined;
  readonly observeOnly: boolean;
  /** Custom resources of the namespace that there are: kind, name, and the id on the platform that they hold. */
  readonly present: readonly { readonly kind: string; readonly name: string; readonly id: string | undefined }[];
}

/** What all documents are made with. */
export interface Scribe extends Home {
  /** The name that stands for an id, of any kind. */
  readonly nameOf: (id: string) => string;
  /** The resource that holds an id already. */
  readonly holderOf: (kind: string, id: string) => string | undefined;
  /** The reference to a cluster: by name where a resource describes it, else by its id. */
  readonly clusterRef: (id: string) => SpecData;
  readonly lifecycle: SpecData;
}

/** A binding has no id of its own: it is the one of its cluster. */
export function bindingId(clusterId: string): string {
  return `binding/${clusterId}`;
}

/** Names everything. */
export function scribeOf(inventory: Inventory, home: Home): Scribe {
  const held = new Map(
    home.present.flatMap(({ kind, name, id }) => (id === undefined ? [] : [[`${kind}/${id}`, name]])),
  );
  const holderOf: Scribe["holderOf"] = (kind, id) => held.get(`${kind}/${id}`);
  const names = new Map<string, string>();
  for (const [kind, things] of Object.entries(thingsOf(inventory))) {
    const taken = home.present.filter((one) => one.kind === kind).map(({ name }) => name);
    const free = things.filter(({ id }) => holderOf(kind, id) === undefined);
    for (const [id, name] of namesFor(free, new Set(taken))) names.set(id, name);
    for (const { id } of things) names.set(id, holderOf(kind, id) ?? names.get(id) ?? id);
  }
  return {
    ...home,
    holderOf,
    nameOf: (id) => names.get(id) ?? id,
    clusterRef: (id) => {
      const name = names.get(id) ?? holderOf("PlatformCluster", id);
      return name === undefined ? { externalId: id } : { name };
    },
    lifecycle: { ...(home.observeOnly ? { managementPolicy: "ObserveOnly" } : {}), deletionPolicy: "Retain" },
  };
}

function thingsOf({ projects, clusters }: Inventory): Readonly<Record<string, readonly Nameless[]>> {
  const environments = projects.flatMap(({ record, environments: all }) =>
    all.map((environment) => ({ project: record.name, environment, name: environment.record?.name ?? "environment" })),
  );
  const inEnvironment =
    (project: string, environment: string) =>
    (record: { id: string; name: string }): Nameless => ({
      id: record.id,
      wishes: [record.name, `${environment} ${record.name}`, `${project} ${environment} ${record.name}`],
    });
  return {
    PlatformProject: projects.map(({ record }) => ({ id: record.id, wishes: [record.name] })),
    PlatformEnvironment: environments.map(({ project, name, environment }) => ({
      id: environment.id,
      wishes: environment.record === undefined ? [] : [name, `${project} ${name}`],
    })),
    PlatformApplication: environments.flatMap(({ project, name, environment }) =>
      environment.applications.map(({ record }) => inEnvironment(project, name)(record)),
    ),
    PlatformDatabase: environments.flatMap(({ project, name, environment }) =>
      environment.databases.map(({ record }) => inEnvironment(project, name)(record)),
    ),
    PlatformCluster: clusters.map(({ record }) => ({ id: record.id, wishes: [record.name] })),
    PlatformBinding: clusters.flatMap(({ record, binding }) =>
      binding === undefined ? [] : [{ id: bindingId(record.id), wishes: [record.name, `${record.name} binding`] }],
    ),
  };
}

/** The document, unless a resource of the namespace holds the object already. */
export function unlessHeld(scribe: Scribe, kind: string, id: string, make: () => Document): Document {
  const holder = scribe.holderOf(kind, id);
  return holder === undefined ? make() : { comments: [`${kind} "${holder}" holds ${id} already.`] };
}
