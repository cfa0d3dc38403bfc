/**
 * The members of every `.status` (docs/project/architecture.md §5). Bounds are wide: the API server refuses the whole patch if
 * one is exceeded, so texts of the platform are cut to `TEXT` characters before they are written.
 */
import { z } from "zod";

/** The longest text in a status, in characters. */
export const TEXT = 1024;
/** The most fields that `drift` lists. */
export const DRIFT_FIELDS = 20;

/** The longest annotation that Kubernetes stores, in characters, so that a status can hold a copy of any annotation. */
const ANNOTATION = 262_144;

/** A short text, mostly from the platform. */
export const text = z.string().max(TEXT);
/** A time of the operator's clock. Times of the platform are `text`, in any form. */
export const time = z.string().max(64).meta({ format: "date-time" });

/** Returns a time as RFC 3339 in whole seconds, as Kubernetes writes it (metav1.Time). */
export function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** An id as the platform returned it. */
export const id = z.string().max(64);
/** A token that a user put into an annotation. */
export const token = z.string().max(ANNOTATION);
/** A non-negative number of things. */
export const count = z.int().min(0);

/**
 * Makes a list atomic. The operator alone writes the lists of a status, and a duplicate must not make the API server
 * refuse the whole patch.
 */
export const ATOMIC = { "x-kubernetes-list-type": "atomic" };

/** An optional list of at most `max` items that is replaced as a whole. */
export function atomicList<Item extends z.ZodType>(item: Item, max: number, description: string) {
  return z.array(item).max(max).optional().describe(description).meta(ATOMIC);
}

/** A `metav1.Condition`, with the patterns and bounds of its API documentation. */
const condition = z
  .object({
    type: z
      .string()
      .max(316)
      .regex(
        /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
      )
      .describe("Type of the condition, e.g. Ready."),
    status: z.enum(["True", "False", "Unknown"]).describe("Status of the condition."),
    observedGeneration: count.optional().describe("Generation of the object that the condition describes."),
    lastTransitionTime: time.describe("Time of the last change of status."),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
      .describe("Reason in one word, or the platform's state verbatim."),
    message: z.string().max(32768).describe("Explanation, and what to do."),
  })
  .describe("A condition of the object.");

const identity = z
  .object({
    connectionUid: id.optional().describe("uid of the connection that the object was last reconciled through."),
    host: text.optional().describe("Host of the platform."),
    organizationId: id.optional().describe("Organization on the platform."),
    parentId: id.optional().describe("Id of the parent on the platform."),
    installation: id.optional().describe("Installation of the operator that created or adopted it."),
    listed: z
      .boolean()
      .optional()
      .describe("Whether a list of the platform has shown it. Only then does its absence from a list count."),
  })
  .describe("Place of the object on the platform. Once it is recorded, the operator never writes to another place.");

/**
 * The member of a status with all that only the operator reads. `kubectl describe` sorts members by name: this one comes
 * after those that users read.
 */
export const WRITE_LEDGER = "writeLedger";

const intent = z
  .object({
    v: z.int().min(1).max(1000).describe("Version of this record."),
    uid: id.describe("uid of the object that the record belongs to."),
    resource: text.describe("Kind, namespace and name of the object that the record belongs to."),
    installation: id.describe("Installation of the operator that wrote it."),
    release: text.optional().describe("Namespace of the operator that wrote it."),
    attempt: text.describe("Id of this attempt."),
    op: text.describe("The operation of the platform's API."),
    creates: z.boolean().optional().describe("Whether the action creates an object."),
    generation: count.describe("Generation that requested the action."),
    parentId: id.optional().describe("Id of the parent that the action was meant for."),
    id: id.optional().describe("Id of the object that the action was meant for."),
    name: text.optional().describe("Name of the object that was to be created."),
    commit: text.optional().describe("Commit of the deployment."),
    repetition: z
      .boolean()
      .optional()
      .describe("Whether it repeats an action that the platform did not confirm. A repetition is not repeated."),
    mark: z.unknown().optional().meta({
      description: "State before the action, to determine later whether it was executed.",
      "x-kubernetes-preserve-unknown-fields": true,
    }),
  })
  .describe(
    "An action that was started and whose outcome is not recorded yet. The operator finds out whether it was executed. If it was not, the action is planned again; if that cannot be determined, it is repeated at most once, and only if a repetition has no further effect.",
  );

const driftField = z
  .object({
    path: text.describe("Path in the spec, e.g. spec.cpu."),
    desired: z.string().max(32768).describe("What the spec says."),
    observed: z.string().max(32768).describe("What the platform says."),
  })
  .describe("One difference.");

/** The members of every status. */
const common = {
  observedGeneration: z
    .int()
    .min(-1)
    .optional()
    .describe("Generation of the spec that this status describes; -1 until the operator has reconciled the object."),
  conditions: z
    .array(condition)
    .max(16)
    .optional()
    .describe(
      "Conditions: Ready and Synced always, Reconciling or Stalled only while they are True, and those of the kind.",
    )
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] }),
  lastHandledReconcileAt: token
    .optional()
    .describe("Value of the last reconcile-requested-at annotation that the operator handled."),
};

/** The answer to the annotation redeploy-requested-at, on the kinds that have it. */
export const lastHandledRedeployAt = token.describe(
  "Value of the last redeploy-requested-at annotation that the operator handled: it deployed, or refused with a Warning event.",
);

export const planSchema = z
  .object({
    hash: text.describe(
      "Hash of the plan. The annotation platform-operator.io/approved-plan with this value approves it.",
    ),
    generation: count.describe("Generation of the spec that it applies."),
    approved: z.boolean().optional().describe("Whether the plan is approved and being executed."),
    actions: z
      .array(
        z
          .object({
            operation: text.describe("The operation of the platform's API."),
            message: text.optional().describe("What it does."),
            creates: z
              .boolean()
              .optional()
              .describe("Whether it creates the object; approving it also approves the steps that follow."),
            commit: text.optional().describe("Commit that it deploys."),
            fields: atomicList(driftField, DRIFT_FIELDS, "Fields that it changes, at most 20."),
          })
          .describe("One write to the platform."),
      )
      .max(16)
      .describe("Planned writes, in order.")
      .meta(ATOMIC),
  })
  .describe("Writes to the platform that wait for approval.");

/** Returns the schema of the write ledger. @param own what the operator records of this kind; each may be absent */
function writeLedger(own: z.ZodRawShape): z.ZodType {
  return z
    .object({ identity: identity.optional(), intent: intent.optional(), ...z.object(own).partial().shape })
    .describe(
      "What the operator recorded to write nothing twice and nothing of others: the place of the object on the platform, the action that is under way, digests of what was sent. Only the operator uses it; do not change it.",
    );
}

/** The members about policies: what was applied, the plan that waits, and the last approved plan. */
const governed = {
  appliedGeneration: count
    .optional()
    .describe("Generation of the spec that was last applied to the platform; later differences are drift."),
  plan: planSchema.optional(),
  lastApprovedPlan: text.optional().describe("Hash of the last plan that was approved and executed."),
};

/** The members of the status of a kind with objects on the platform. */
const living = {
  externalId: id.optional().describe("Id of the object on the platform."),
  drift: z
    .object({
      fields: z
        .array(driftField)
        .max(DRIFT_FIELDS)
        .describe("The differences, at most 20.")
        .meta({
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["path"],
        }),
    })
    .optional()
    .describe("Differences between the platform and the spec. Secret values are not compared."),
  ...governed,
};

/** Returns the status schema of a kind that only observes. @param own the kind's own members; each may be absent */
export function observingStatus(own: z.ZodRawShape): z.ZodObject {
  return z.object({ ...common, ...z.object(own).partial().shape });
}

/**
 * Returns the status schema of a kind with objects on the platform.
 * @param own the kind's own members; each may be absent
 * @param recorded its members of the write ledger
 */
export function managedStatus(own: z.ZodRawShape, recorded: z.ZodRawShape = {}): z.ZodObject {
  return observingStatus({ ...living, ...own, [WRITE_LEDGER]: writeLedger(recorded) });
}

/** Makes a member of a memory optional. An unexpected value parses as absent. */
function kept<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

export type Members = Readonly<Record<string, z.ZodType>>;

/** The parsed memory with these members. */
export type MemoryOf<Of extends Members> = z.output<
  z.ZodObject<{ [Name in keyof Of]: ReturnType<typeof kept<Of[Name]>> }>
>;

/**
 * Returns the schema of a kind's memory: members of its status and of the write ledger in it, each of which may be
 * absent. An unexpected shape parses as absent, so that no status stops the operator.
 */
export function memorySchema<Shown extends Members, Recorded extends Members>(
  shown: Shown,
  recorded: Recorded,
): z.ZodType<MemoryOf<Shown & Recorded>>;
export function memorySchema(shown: Members, recorded: Members) {
  const members = Object.entries({ ...shown, ...recorded });
  return z.object(Object.fromEntries(members.map(([name, schema]) => [name, kept(schema)]))).catch({});
}

/** The engine's Fingerprint of content with secret values. It is keyed, so that nobody can guess the values. */
const fingerprint = z.object({
  key: text.describe("Key that the digest was made with."),
  digest: text.describe("Keyed digest of the content."),
  sources: text.describe("Digest of the versions of the Secrets and ConfigMaps that provided the content."),
});

/** Returns the schema of a Fingerprint. @param what what the digest is of, e.g. "the variables as last sent" */
export function digestField(what: string) {
  return fingerprint.describe(`Digest of ${what}.`);
}
