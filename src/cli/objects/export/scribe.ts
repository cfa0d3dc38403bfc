/** What all manifests of an export share: names, existing resources, policies. Pure. */
import type { Inventory } from "./inventory.ts";
import type { Document, SpecData } from "./manifests.ts";

/** The namespace that the manifests are for. */
export interface Home {
  readonly namespace: string;
  /** The connection that every root names; undefined for the namespace's default. */
  readonly connectionRef: SpecData | undefined;
  readonly observeOnly: boolean;
  /** The namespace's custom resources: kind, name, and the id on the platform that they hold. */
  readonly present: readonly { readonly kind: string; readonly name: string; readonly id: string | undefined }[];
}

/** The context of all documents. */
export interface Scribe extends Home {
  /** Returns the name of the resource for an id, of any kind. */
  readonly nameOf: (id: string) => string;
  /** Returns the resource that holds an id already. */
  readonly holderOf: (kind: string, id: string) => string | undefined;
  /** Returns the reference to a cluster: by name if a resource describes it, else by its id. */
  readonly clusterRef: (id: string) => SpecData;
  readonly lifecycle: SpecData;
}

/** Returns the id of a binding, which is that of its cluster. */
export function bindingId(clusterId: string): string {
  return `binding/${clusterId}`;
}

/** Chooses all names. */
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

/** Returns the document, unless a resource of the namespace holds the object already. */
export function unlessHeld(scribe: Scribe, kind: string, id: string, make: () => Document): Document {
  const holder = scribe.holderOf(kind, id);
  return holder === undefined ? make() : { comments: [`${kind} "${holder}" holds ${id} already.`] };
}

/** An object that needs a name, with its preferred names, which others may want as well. */
export interface Nameless {
  /** Id on the platform. */
  readonly id: string;
  /** Preferred names, the short one first, e.g. ["API", "staging API"]. */
  readonly wishes: readonly string[];
}

/** The longest name: that of a DNS label, so that it fits everywhere. */
const LONGEST = 63;
/** The part of an id that makes a name unique, in characters. */
const ID_PART = 8;

/** @returns the text as a DNS-1123 label of at most `longest` characters; empty when no character of it is allowed */
export function dnsLabel(text: string, longest = LONGEST): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const label = plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return label.slice(0, longest).replace(/-+$/, "");
}

/**
 * Gives each object the first of its preferred names that no other has.
 * @param taken names that are in use already
 * @returns names by id, all different
 */
export function namesFor(things: readonly Nameless[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(taken);
  const levels = Math.max(0, ...things.map(({ wishes }) => wishes.length));
  for (let level = 0; level < levels; level += 1) {
    const left = things.filter(({ id }) => !names.has(id));
    const wanted = Map.groupBy(left, ({ wishes }) => dnsLabel(wishes[level] ?? ""));
    for (const [label, [only, ...others]] of wanted) {
      if (label === "" || only === undefined || others.length > 0 || used.has(label)) continue;
      names.set(only.id, label);
      used.add(label);
    }
  }
  for (const { id, wishes } of things.filter((thing) => !names.has(thing.id))) {
    const name = unused(dnsLabel(wishes[0] ?? "", LONGEST - ID_PART - 1), id, used);
    names.set(id, name);
    used.add(name);
  }
  return names;
}

/** Adds a part of the id to a name, or all of it where that is in use. */
function unused(label: string, id: string, used: ReadonlySet<string>): string {
  const short = [label === "" ? "id" : label, id.slice(0, ID_PART)].join("-");
  return used.has(short) ? `id-${id}` : short;
}
