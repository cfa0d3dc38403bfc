/** Builds manifests that adopt what is on the platform: the spec equals it, so nothing has to be written. Pure. */
import { API_VERSION } from "../../../api/names.ts";
import { RESOURCES } from "../../../kinds/crds.ts";

/** A spec as plain data; members that are undefined are left out. */
export type SpecData = Readonly<Record<string, unknown>>;

/** One document of the output. */
export interface Document {
  /** The sentences above it. */
  readonly comments: readonly string[];
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** It cannot be applied as it is: it is written as a comment. */
  readonly disabled?: true;
}

export interface Wish {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly spec: SpecData;
  readonly comments?: readonly string[];
}

/**
 * Builds a manifest of what is known. A field with a value that the custom resource does not accept is replaced by a
 * comment if it is optional; else the whole manifest becomes a comment.
 */
export function documentOf({ kind, name, namespace, spec, comments = [] }: Wish): Document {
  const checked = fitting(kind, pruned(spec));
  return {
    comments: [...comments, ...checked.comments],
    manifest: { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec: checked.spec },
    ...(checked.fits ? {} : { disabled: true as const }),
  };
}

interface Checked {
  readonly spec: SpecData;
  readonly comments: readonly string[];
  readonly fits: boolean;
}

/** Drops one member after the other until the rest is accepted. */
function fitting(kind: string, spec: SpecData): Checked {
  const schema = RESOURCES.find((resource) => resource.kind === kind)?.spec;
  const dropped = new Map<string, string>();
  let left = spec;
  for (;;) {
    const [issue] = schema?.safeParse(left).error?.issues ?? [];
    if (issue === undefined) {
      const comments = [...dropped].map(([member, reason]) => `spec.${member} is left out: ${reason}.`);
      return { spec: left, comments, fits: true };
    }
    const member = String(issue.path[0] ?? "");
    const { [member]: value, ...others } = left;
    const reason = dropped.get(member) ?? `${["spec", ...issue.path.map(String)].join(".")} ${issue.message}`;
    if (value === undefined) return { spec, comments: [`It cannot be described: ${reason}.`], fits: false };
    dropped.set(member, reason);
    left = others;
  }
}

/** Removes members that are undefined, at any depth. */
function pruned(value: SpecData): SpecData {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, prunedValue(member)]])),
  );
}

function prunedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prunedValue);
  return typeof value === "object" && value !== null ? pruned({ ...value }) : value;
}
