/**
 * Which resources write fields of objects that another resource represents, e.g. variables of applications. Two of them
 * must not write the same field, or they would revert each other for ever. A field is named "<id of the
 * object>/<name>", whatever the kind of the resource that writes it.
 */
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { keyText, shortName, tenantOf, recordedTenant, type Tenant } from "../contract/keys.ts";
import { type FieldClaim, fieldKey, type Uuid } from "../contract/kind.ts";
import { recordedIdIn } from "../contract/status.ts";

export type FieldOwnership = ReturnType<typeof createFieldOwnership>;

interface Writer {
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  /** The tenant of its records. */
  readonly tenant: string;
  /** The id of the object that it represents. */
  readonly id: Uuid | undefined;
  readonly since: string;
  readonly recorded: ReadonlySet<string>;
  readonly wanted: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export function createFieldOwnership() {
  const writers = new Map<string, Writer>();
  /** The resources that write a field, in the order in which they came. */
  const byEntry = new Map<string, Set<string>>();

  const note = (object: KubeObject, change: Partial<Pick<Writer, "recorded" | "wanted">>): void => {
    const key = keyText(keyOf(object));
    const before = writers.get(key);
    const { recorded = NONE, wanted = NONE } = { ...before, ...change };
    const after: Writer = { ...writerOf(object), recorded, wanted };
    for (const entry of entriesOf(before)) if (!has(after, entry)) drop(entry, key);
    for (const entry of entriesOf(after)) byEntry.set(entry, (byEntry.get(entry) ?? new Set()).add(key));
    if (recorded.size + wanted.size > 0) writers.set(key, after);
    else writers.delete(key);
  };
  const drop = (entry: string, key: string): void => {
    byEntry.get(entry)?.delete(key);
    if (byEntry.get(entry)?.size === 0) byEntry.delete(entry);
  };

  return {
    /** Records the fields that an object has written according to its status, in place of its earlier ones. */
    record: (object: KubeObject, claims: readonly FieldClaim[]): void => note(object, { recorded: keysOf(claims) }),
    /** Records the fields that the object is about to write, in place of its earlier ones. */
    want: (object: KubeObject, claims: readonly FieldClaim[]): void => note(object, { wanted: keysOf(claims) }),
    /** Forgets an object that is gone. @returns the keys of the resources that may write its fields now */
    forget: (object: KubeObject): readonly string[] => {
      const key = keyText(keyOf(object));
      const entries = entriesOf(writers.get(key));
      for (const entry of entries) drop(entry, key);
      writers.delete(key);
      return entries.flatMap((entry) => [...(byEntry.get(entry) ?? [])]);
    },
    /**
     * Returns the resource that may write a field before `self`, as `Kind "namespace/name"`: the resource of the object
     * itself; else the one that wrote it already, the older one of two; else the one that wanted it first. A field that
     * is only wanted counts in its own namespace; a recorded one in the organization where it was recorded: nobody can
     * reserve a field of another tenant.
     * @param tenant where `self` works
     * @returns undefined when `self` may write it
     */
    writer: (entry: string, self: KubeObject, tenant: Tenant): string | undefined => {
      const key = keyText(keyOf(self));
      const here = tenantOf(tenant);
      // The resource has written the entry, or represents the object that has the entry.
      const isOnRecord = (one: Writer): boolean => one.recorded.has(entry) || isOwner(entry, one);
      const all = [...(byEntry.get(entry) ?? [])]
        .flatMap((one) => writers.get(one) ?? [])
        .filter((one) => one.namespace === self.metadata.namespace || (one.tenant === here && isOnRecord(one)));
      const first = all.reduce<Writer | undefined>(
        (best, one) => (best === undefined || precedes(entry, one, best) ? one : best),
        undefined,
      );
      return first === undefined || first.key === key ? undefined : first.name;
    },
  };
}

function writerOf(object: KubeObject): Omit<Writer, "recorded" | "wanted"> {
  const key = keyOf(object);
  return {
    key: keyText(key),
    name: `${object.kind} "${shortName(key)}"`,
    namespace: key.namespace,
    tenant: tenantOf(recordedTenant(object)),
    id: recordedIdIn(object),
    since: object.metadata.creationTimestamp ?? "",
  };
}

function keysOf(claims: readonly FieldClaim[]): ReadonlySet<string> {
  return new Set(claims.flatMap(({ id, field }) => (field === undefined ? [] : [fieldKey(id, field)])));
}

function entriesOf(writer: Writer | undefined): readonly string[] {
  return writer === undefined ? [] : [...writer.recorded, ...writer.wanted];
}

function has({ recorded, wanted }: Writer, entry: string): boolean {
  return recorded.has(entry) || wanted.has(entry);
}

function isOwner(entry: string, { id }: Writer): boolean {
  return id !== undefined && entry.startsWith(`${id}/`);
}

/** Reports whether `left` has precedence over `right`, which came earlier. */
function precedes(entry: string, left: Writer, right: Writer): boolean {
  if (isOwner(entry, left) !== isOwner(entry, right)) return isOwner(entry, left);
  const [isWritten, wasWritten] = [left.recorded.has(entry), right.recorded.has(entry)];
  if (isWritten !== wasWritten) return isWritten;
  return isWritten && (left.since < right.since || (left.since === right.since && left.key < right.key));
}
