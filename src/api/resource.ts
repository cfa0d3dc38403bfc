/** The Kubernetes side of a kind, and columns and rules that several kinds share. */
import { z } from "zod";

import { PAUSED } from "./names.ts";
import { type MemoryOf, memorySchema, type Members } from "./status.ts";

/** A column of `kubectl get`; priority 1 shows in `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

/** A rule of `x-kubernetes-validations` on the root of the object. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** The field that the API server names in the error, e.g. ".spec.name". */
  readonly fieldPath?: string;
}

/**
 * What the resources of a kind stand for on the platform.
 * - "Managed": one object each, which the operator may create, and which is recorded by its id.
 * - "Independent": one object each, which the operator adopts and never creates. If it stays after its resource is
 *   deleted, it is no orphan, and its steps wait for approval unless the resource or its connection says otherwise.
 * - "Fields": fields of other objects, which are removed when the resource is deleted.
 * - "LastingFields": fields of other objects, which stay.
 * - "None": nothing.
 */
export type ExternalLifecycle = "Managed" | "Independent" | "Fields" | "LastingFields" | "None";

/**
 * The Kubernetes side of one kind: its names, schemas and columns. The CRD is generated from it. `Spec` is the parsed
 * spec. `Mem` is the memory: the members of status that the platform does not return. `memory` parses it from a status
 * and must accept `{}`.
 */
export interface Resource<Spec = unknown, Mem = unknown> {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly lifecycle: ExternalLifecycle;
  readonly description: string;
  readonly spec: z.ZodType<Spec>;
  readonly memory: z.ZodType<Mem>;
  /** The members of the memory that are in the write ledger of the status. */
  readonly recorded: readonly string[];
  /** Every member of `.status`, the common ones and those of `memory` included. */
  readonly status: z.ZodObject;
  readonly rules: readonly CelRule[];
  readonly columns: readonly PrinterColumn[];
  /** Paths for field selectors, e.g. ".spec.environmentRef.name". */
  readonly selectableFields: readonly string[];
}

/**
 * An id that the status does not record was mistyped, or is not adopted yet: it can be corrected. The shorter
 * `self.externalId == oldSelf.externalId` fails with "no such key" when the field is cleared.
 */
const EXTERNAL_ID_STAYS: CelRule = {
  rule:
    "!has(oldSelf.spec.externalId) || (has(self.spec.externalId) && self.spec.externalId == oldSelf.spec.externalId) || " +
    "!has(oldSelf.status) || !has(oldSelf.status.externalId) || oldSelf.status.externalId != oldSelf.spec.externalId",
  message: "spec.externalId cannot be changed or removed once status.externalId records it",
  fieldPath: ".spec.externalId",
};

/** Reports whether each resource of the kind stands for one object of the platform, which is recorded by its id. */
export function hasObject({ lifecycle }: Pick<Resource, "lifecycle">): boolean {
  return lifecycle === "Managed" || lifecycle === "Independent";
}

/** Reports whether the resources of the kind have no objects of their own and write fields of other objects. */
export function writesFields({ lifecycle }: Pick<Resource, "lifecycle">): boolean {
  return lifecycle === "Fields" || lifecycle === "LastingFields";
}

type Defaulted = "plural" | "scope" | "lifecycle" | "rules" | "selectableFields";

/**
 * Completes the declaration of a kind with the defaults of most kinds: namespaced, with a reference to a connection, one
 * object on the platform for each resource.
 * @param declared.memory the members of the status that are its memory
 * @param declared.recorded those of the write ledger, as `managedStatus` has them
 */
export function defineResource<Spec, Shown extends Members, Recorded extends Members>({
  rules = [],
  memory,
  recorded,
  ...declared
}: Omit<Resource<Spec>, Defaulted | "memory" | "recorded"> &
  Partial<Pick<Resource, Exclude<Defaulted, "plural">>> & {
    readonly memory: Shown;
    readonly recorded: Recorded;
  }): Resource<Spec, MemoryOf<Shown & Recorded>> {
  const hasExternalId = declared.spec instanceof z.ZodObject && "externalId" in declared.spec.shape;
  return {
    scope: "Namespaced",
    lifecycle: "Managed",
    selectableFields: [".spec.connectionRef.name"],
    ...declared,
    memory: memorySchema(memory, recorded),
    recorded: Object.keys(recorded),
    plural: `${declared.kind.toLowerCase()}s`,
    rules: hasExternalId ? [EXTERNAL_ID_STAYS, ...rules] : rules,
  };
}

/** Returns a column of `kubectl get`. */
export function column(
  name: string,
  jsonPath: string,
  description: string,
  type: PrinterColumn["type"] = "string",
): PrinterColumn {
  return { name, type, jsonPath, description };
}

/** Returns a column that only `-o wide` shows. */
export function wide(...of: Parameters<typeof column>): PrinterColumn {
  return { ...column(...of), priority: 1 };
}

const REASON = column("Reason", ofCondition("Ready", "reason"), "Why, in one word.");

export const SYNCED = wide(
  "Synced",
  ofCondition("Synced", "status"),
  "Whether the last exchange with the platform succeeded.",
);

export const SINCE = column("Since", ofCondition("Ready", "lastTransitionTime"), "Time since Ready changed.", "date");

const AGE = column("Age", ".metadata.creationTimestamp", "Time since the object was created.", "date");

/** Shows the value of the annotation as it is written, also one that does not pause the object. */
const PAUSED_BY = wide(
  "Paused",
  `.metadata.annotations.${PAUSED.replaceAll(".", String.raw`\.`)}`,
  "The annotation that pauses it.",
);

export const DRIFTED = wide("Drifted", ofCondition("Drifted", "status"), "Whether the platform differs from the spec.");

/** For the kinds that report the condition SettingsSynced. */
export const SETTINGS = wide(
  "Settings",
  ofCondition("SettingsSynced", "reason"),
  "Why settings of the spec are not on the platform; empty unless they cannot be sent.",
);

const REMOTE_ID = wide("Remote-ID", ".status.externalId", "Id on the platform.");

const MESSAGE = column("Message", ofCondition("Ready", "message"), "Why, and what to do.");

function ofCondition(type: string, member: string): string {
  return `.status.conditions[?(@.type=="${type}")].${member}`;
}

/**
 * Returns the columns of a kind. The message is the last column, as kubectl does not cut it, and the other columns are
 * few, so that a line of 120 characters shows the beginning of the message.
 * @param own the columns after Reason
 * @param later the columns before Age
 * @param ready the description of the column Ready
 */
export function columnsOf(
  own: readonly PrinterColumn[],
  later: readonly PrinterColumn[] = [],
  ready = "Whether the platform is as the spec wants it, as far as it can change it.",
): readonly PrinterColumn[] {
  const first = column("Ready", ofCondition("Ready", "status"), ready);
  return [first, REASON, ...own, PAUSED_BY, ...later, AGE, MESSAGE];
}

/** Returns the columns of a kind whose objects exist on the platform. */
export function managedColumns(own: readonly PrinterColumn[]): readonly PrinterColumn[] {
  return columnsOf([...own, DRIFTED], [REMOTE_ID]);
}

/**
 * Returns the rule that makes a field of the spec immutable once the object is recorded; before that, a wrong reference
 * can be fixed (docs/project/architecture.md §4). The API server checks rules on writes of the status as well; the rule holds
 * there because the spec is unchanged.
 * @param field a required member of the spec, e.g. "environmentRef"
 */
export function lockedOnceRecorded(field: string): CelRule {
  return {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.externalId) || self.spec.${field} == oldSelf.spec.${field}`,
    message: `spec.${field} cannot be changed once status.externalId is set`,
    fieldPath: `.spec.${field}`,
  };
}
