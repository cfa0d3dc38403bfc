/** Reads an untyped status. */
import type { Resource } from "../../api/resource.ts";
import { WRITE_LEDGER } from "../../api/status.ts";
import { isObject, listMember, member, stringMember } from "../../kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";

/** Returns the stored status; an empty one where there is none. */
export function statusOf({ status }: { readonly status?: Json | undefined }): JsonObject {
  return isObject(status) ? status : {};
}

/** Returns a member of the write ledger in the status. */
export function recordedIn({ status }: { readonly status?: Json | undefined }, name: string): Json | undefined {
  return member(member(status, WRITE_LEDGER), name);
}

/**
 * The memories by status, each with the schema that it comes from. The store replaces a changed status and never alters
 * one.
 */
const memories = new WeakMap<object, { readonly schema: object; readonly memory: unknown }>();

/**
 * Returns the memory of a kind in a status: what it shows, and what its write ledger has. A stored status is parsed
 * once.
 */
export function memoryIn<Mem>(
  { memory: schema }: Pick<Resource<unknown, Mem>, "memory">,
  object: { readonly status?: Json | undefined },
): Mem {
  const { status } = object;
  if (!isObject(status)) return schema.parse({});
  const known = memories.get(status);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a memory is kept with the schema that gave it
  if (known?.schema === schema) return known.memory as Mem;
  const memory = schema.parse(membersOf(object));
  memories.set(status, { schema, memory });
  return memory;
}

/** Returns the members of the stored status, those of the write ledger beside the others. */
export function membersOf(object: { readonly status?: Json | undefined }): JsonObject {
  const { [WRITE_LEDGER]: ledger, ...shown } = statusOf(object);
  return { ...shown, ...(isObject(ledger) && ledger) };
}

/** Returns the value if it is a non-empty string. */
export function nonEmptyText(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the id of the object on the platform that the status records. */
export function recordedIdIn(object: { readonly status?: Json | undefined } | undefined): string | undefined {
  return nonEmptyText(member(object?.status, "externalId"));
}

/** Returns a member of the identity that the status records with the id. */
export function recordedIdentityIn(object: { readonly status?: Json | undefined }, name: string): string | undefined {
  return nonEmptyText(member(recordedIn(object, "identity"), name));
}

/** Reports whether the status says that a list of the platform has shown the recorded object. */
export function wasListed(object: { readonly status?: Json | undefined }): boolean {
  return member(recordedIn(object, "identity"), "listed") === true;
}

export type ConditionStatus = "True" | "False" | "Unknown";

/** A stored condition (metav1.Condition). */
export type Condition = {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
};

/** Returns the stored conditions that have the right shape. */
export function conditionsOf(object: { readonly status?: Json | undefined }): readonly Condition[] {
  return listMember(object.status, "conditions").flatMap((entry) => conditionIn(entry) ?? []);
}

/** Returns the stored condition of a type. */
export function conditionOf(object: { readonly status?: Json | undefined }, type: string): Condition | undefined {
  for (const entry of listMember(object.status, "conditions")) {
    const condition = member(entry, "type") === type ? conditionIn(entry) : undefined;
    if (condition !== undefined) return condition;
  }
  return undefined;
}

function conditionIn(entry: Json): Condition | undefined {
  const type = nonEmptyText(member(entry, "type"));
  const status = nonEmptyText(member(entry, "status"));
  if (type === undefined || (status !== "True" && status !== "False" && status !== "Unknown")) return undefined;
  return {
    type,
    status,
    observedGeneration: Number(member(entry, "observedGeneration") ?? 0),
    lastTransitionTime: stringMember(entry, "lastTransitionTime") ?? "",
    reason: stringMember(entry, "reason") ?? "",
    message: stringMember(entry, "message") ?? "",
  };
}

/** Returns for how long the stored condition has been Unknown, in milliseconds; 0 when it is not. */
export function unknownFor(object: KubeObject, type: string, now: Date): number {
  const condition = conditionOf(object, type);
  if (condition?.status !== "Unknown") return 0;
  return Math.max(0, now.getTime() - Date.parse(condition.lastTransitionTime));
}

/**
 * Reports whether the goal was reached for the current generation when the status was last written, as far as the
 * platform shows it.
 */
export function isSettled(object: KubeObject): boolean {
  const ready = conditionOf(object, "Ready");
  return isGoalReached(ready) && ready?.observedGeneration === (object.metadata.generation ?? 0);
}

/**
 * Reports whether the condition Ready says that nothing is left to do: it is True, or the platform accepted all requests
 * and does not show what became of the object.
 */
export function isGoalReached(ready: { readonly status: string; readonly reason: string } | undefined): boolean {
  return ready?.status === "True" || (ready?.status === "Unknown" && ready.reason === NOT_SHOWN);
}

/** The reason of Ready where the platform does not show the state that the object has, or is to have. */
export const NOT_SHOWN = "NotObservable";

/** Reports whether the object was Stalled for its current generation when its status was last written. */
export function isStalled(object: KubeObject): boolean {
  const stalled = conditionOf(object, "Stalled");
  return stalled?.status === "True" && stalled.observedGeneration === (object.metadata.generation ?? 0);
}
