/** Names resources, and builds manifests that adopt the platform's objects without changing them. Pure. */
import { API_VERSION } from "../../../api/names.ts";
import { type KindName, RESOURCES } from "../../../kinds/index.ts";
import { printable } from "../../../text/text.ts";
import { dnsLabel } from "../../base/targets.ts";
import { yamlText } from "../../base/yaml.ts";

/** A spec as plain data; members that are undefined are left out. */
export type SpecData = Readonly<Record<string, unknown>>;

/** An object that needs a name. Several objects may prefer the same name. */
interface NameRequest {
  /** Id on the platform. */
  readonly id: string;
  /** Preferred names, the short one first, e.g. ["API", "staging API"]. */
  readonly preferredNames: readonly string[];
}

/** One object of the platform that a resource can describe. */
export interface ExportItem extends NameRequest {
  readonly kind: KindName;
  readonly describe: (context: ExportContext) => Description;
}

interface Description {
  readonly spec: SpecData;
  /** The sentences above the manifest. */
  readonly comments?: readonly string[];
  /** Why it cannot be applied unchanged, as sentences above it: the manifest is then a comment. */
  readonly obstacles?: readonly string[];
  /** It has placeholders to be filled in, which the custom resource does not accept. */
  readonly isDraft?: boolean;
}

/** One document of the output. */
export interface Document {
  /** The sentences above it. */
  readonly comments: readonly string[];
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** It cannot be applied unchanged: it is written as a comment. */
  readonly disabled?: true;
}

/** The namespace that the manifests are for. */
export interface Home {
  readonly namespace: string;
  /** The connection that every root names; undefined for the namespace's default. */
  readonly connectionRef: SpecData | undefined;
  readonly observeOnly: boolean;
  /** The namespace's custom resources: kind, name, and the id on the platform that they hold. */
  readonly present: readonly { readonly kind: string; readonly name: string; readonly id: string | undefined }[];
}

/** The context that all specs of an export share. */
export interface ExportContext extends Home {
  /** Returns the name of the resource for an id, of any kind. */
  readonly nameOf: (id: string) => string;
  /** Returns the name of the resource that holds an id already. */
  readonly holderOf: (kind: string, id: string) => string | undefined;
  /** Returns the reference to a cluster: by name if a resource describes it, else by its id. */
  readonly clusterRef: (id: string) => SpecData;
  readonly lifecycle: SpecData;
}

/** Chooses the names of all items. @returns the context that their specs share */
export function exportContext(items: readonly ExportItem[], home: Home): ExportContext {
  const held = new Map(
    home.present.flatMap(({ kind, name, id }) => (id === undefined ? [] : [[`${kind}/${id}`, name]])),
  );
  const holderOf: ExportContext["holderOf"] = (kind, id) => held.get(`${kind}/${id}`);
  const names = new Map<string, string>();
  for (const [kind, all] of Map.groupBy(items, (item) => item.kind)) {
    const taken = home.present.filter((one) => one.kind === kind).map(({ name }) => name);
    const free = all.filter(({ id }) => holderOf(kind, id) === undefined);
    for (const { id } of all) names.set(id, holderOf(kind, id) ?? id);
    for (const [id, name] of namesFor(free, new Set(taken))) names.set(id, name);
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

/** The part of an id that makes a name unique, in characters. */
const ID_PART = 8;

/**
 * Gives each object the first of its preferred names that no other object has or prefers as well; if there is none, a
 * name with a part of its id.
 * @param taken names that are in use already
 * @returns names by id, all different
 */
export function namesFor(requests: readonly NameRequest[], taken: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(taken);
  const assign = (id: string, name: string): void => {
    names.set(id, name);
    used.add(name);
  };
  const levels = Math.max(0, ...requests.map(({ preferredNames }) => preferredNames.length));
  for (let level = 0; level < levels; level += 1) {
    const unnamed = requests.filter(({ id }) => !names.has(id));
    const wanted = Map.groupBy(unnamed, ({ preferredNames }) => dnsLabel(preferredNames[level] ?? ""));
    for (const [label, [only, ...more]] of wanted) {
      if (label !== "" && only !== undefined && more.length === 0 && !used.has(label)) assign(only.id, label);
    }
  }
  for (const { id, preferredNames } of requests.filter((request) => !names.has(request.id))) {
    assign(id, unused(dnsLabel(preferredNames[0] ?? "", ID_PART + 1), id, used));
  }
  return names;
}

/** Adds a part of the id to a name, or the whole id if that name is in use. */
function unused(label: string, id: string, used: ReadonlySet<string>): string {
  const short = [label === "" ? "id" : label, id.slice(0, ID_PART)].join("-");
  return used.has(short) ? `id-${id}` : short;
}

/**
 * Builds the manifest of an item, unless a resource of the namespace holds the object already. A field with a value
 * that the custom resource does not accept is replaced by a comment if it is optional; else the whole manifest becomes
 * a comment.
 */
export function documentOf({ kind, id, describe }: ExportItem, context: ExportContext): Document {
  const holder = context.holderOf(kind, id);
  if (holder !== undefined) return { comments: [`${kind} "${holder}" holds ${id} already.`] };
  const { spec, comments = [], obstacles = [], isDraft = false } = describe(context);
  const checked = isDraft ? { spec, comments: [], fits: false } : fitting(kind, spec);
  const metadata = { name: context.nameOf(id), namespace: context.namespace };
  return {
    comments: [...obstacles, ...comments, ...checked.comments],
    manifest: { apiVersion: API_VERSION, kind, metadata, spec: checked.spec },
    ...(checked.fits && obstacles.length === 0 ? {} : { disabled: true }),
  };
}

/** Drops the rejected members one by one until the spec is accepted. */
function fitting(kind: KindName, spec: SpecData) {
  const schema = RESOURCES.find((resource) => resource.kind === kind)?.spec;
  const dropped = new Map<string, string>();
  let left = spec;
  for (;;) {
    const [issue] = schema?.safeParse(left).error?.issues ?? [];
    if (issue === undefined) {
      const comments = [...dropped].map(([member, reason]) => `spec.${member} is omitted: ${reason}.`);
      return { spec: left, comments, fits: true };
    }
    const member = String(issue.path[0] ?? "");
    const { [member]: value, ...remaining } = left;
    const reason = dropped.get(member) ?? `${["spec", ...issue.path.map(String)].join(".")} ${issue.message}`;
    if (value === undefined) return { spec, comments: [`It cannot be described: ${reason}.`], fits: false };
    dropped.set(member, reason);
    left = remaining;
  }
}

/** @param header sentences at the top @returns YAML 1.1, which `kubectl apply` reads as it is meant */
export function yamlOf(documents: readonly Document[], header: readonly string[]): string {
  const parts = documents.map(({ comments, manifest, disabled }) => {
    const yaml = manifest === undefined ? "" : yamlText(manifest);
    return comments.map(comment).join("") + (disabled === true ? yaml.replaceAll(/^(?=.)/gm, "# ") : yaml);
  });
  return header.map(comment).join("") + parts.map((part) => `---\n${part}`).join("");
}

/** Writes one line per sentence: no text of the platform may end the comment. */
function comment(sentence: string): string {
  return `# ${printable(sentence)}\n`;
}
