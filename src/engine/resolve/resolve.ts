/**
 * Hop 3 of a reconcile: parses the spec, resolves references, connection and values, and determines where the id of the
 * resource comes from.
 */
import { INTENT } from "../../api/names.ts";
import { hasObject } from "../../api/resource.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { SecretRules } from "../connections/secrets.ts";
import type { Ports } from "../context/context.ts";
import { keyText } from "../contract/keys.ts";
import type {
  Goal,
  IdentitySource,
  Needs,
  ReconcileContext,
  Reference,
  ResolvedNeeds,
  StatusReason,
} from "../contract/kind.ts";
import { parseSpec } from "../contract/spec.ts";
import { isSettled, recordedIdentityIn, memoryIn } from "../contract/status.ts";
import { readSlot } from "../ledger/intent.ts";
import {
  checkInstallation,
  identify,
  type Identity,
  identityMismatch,
  isStarted,
  readRecord,
  type RecordedIdentity,
  type RecordTarget,
  type SignedRecord,
} from "../ledger/record.ts";
import { causeIn, policyStatusIn } from "../policies/policy-status.ts";
import { invalidSpec, policiesOf } from "../policies/policy.ts";
import { invalidSchedule } from "../policies/run-schedule.ts";
import {
  projectsFor,
  type ResolvedReferences,
  resolver,
  resolveReferences,
  connectionMismatch,
} from "../references/references.ts";
import { resolveValues } from "../references/values.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import { recordedId, type Resolved, type Unresolved } from "../status/reconciliation.ts";
import { resolveConnection } from "./connection.ts";
import { candidateFor, memoryOfOrphan, type Origin } from "./orphan.ts";
import { reconcileContext } from "./reconcile-context.ts";

/** The age at which values are read again: at each poll, but not at every step of a deployment that is followed. */
const VALUES_MAX_AGE_MS = 5_000;

const stalled = (why: StatusReason): ReconcileResult => ({ is: "stalled", why, exchange: "none" });
const waiting = (why: StatusReason): ReconcileResult => ({ is: "waiting", why, exchange: "none" });

/**
 * Resolves all that a reconcile needs, or returns how the reconcile ends without it. For a goal other than "present"
 * only the connection is required: a child of a deleted parent is deleted by its recorded id.
 * @throws KubeError
 */
export async function resolveObject(r: Unresolved, goal: Goal): Promise<Resolved | ReconcileResult> {
  const { ports, kind, object, local } = r;
  const validated = validate(r);
  if ("is" in validated) return validated;
  const { spec, identity } = validated;
  const needs = kind.needs(spec);
  const [parent] = needs.references;
  const requireRefs = goal === "present";
  const references = referencesOf(r, needs.references, identity);
  // A missing parent is reported before anything about the connection, which may be the parent's.
  if (requireRefs && references.is === "unresolved" && references.missing) return waiting(references.why);

  const connection = await resolveConnection(r, goal);
  if ("is" in connection) return connection;
  ports.connections.use(connection, keyText(keyOf(object)));
  const recordedIdentity = identityToRecord(r, connection, parent, references);
  const mismatched = mismatch(r, needs.references, connection, { recordedIdentity, identity, goal });
  if (mismatched !== undefined) return stalled(mismatched);

  const allowMissing = requireRefs ? undefined : { parentId: recordedIdentity.parentId };
  const inputs = await resolveInputs(r, needs, references, { connection, allowMissing });
  if ("is" in inputs) return inputs;
  const policies = policiesOf(object, connection.settings.defaults, kind.resource.lifecycle === "Independent");
  const unreadable = goal === "present" ? invalidSchedule(policies.runSchedule, ports.clock.now()) : undefined;
  if (unreadable !== undefined) return stalled(unreadable);

  const place = { object, connection, recordedIdentity };
  const { orphan, ...origin } = await originOf(r, place, identity, goal, policies);
  const cause = causeIn(object);
  const policyStatus = policyStatusIn(object);
  const base = {
    ...place,
    isResolved: true as const,
    ports,
    kind,
    local,
    report: undefined,
    cause,
    policies,
    policyStatus,
    orphan,
  };
  const { value, fingerprint } = inputs;
  const allowedProjects = await projectsFor(ports.namespaces, connection.settings, object);
  const isSecretChanged = await isWrittenSecretChanged(r, goal);
  const found = { spec, inputs: value, fingerprint, goal, parent, allowedProjects, isSecretChanged };
  const context = reconcileContext(base, { ...found, ...origin });
  if (requireRefs) claimFields(r, context);
  return { ...base, context };
}

/** Checks what needs no request: the spec, and which object of the platform the resource represents. */
function validate(r: Unresolved): ReconcileResult | { readonly spec: unknown; readonly identity: Identity } {
  const { ports, kind, object } = r;
  const parsed = parseSpec(kind.resource.spec, object);
  if (!parsed.success) return stalled(invalidSpec(parsed.error));
  const foreign = checkInstallation(ports, object);
  if (foreign !== undefined) return stalled(foreign);
  const identity = knownIdentity(r);
  return identity.is === "refused" ? stalled(identity.why) : { spec: parsed.data, identity };
}

/** Resolves the references. An object with a recorded id does not need a Ready parent. */
function referencesOf(
  { ports, object }: Unresolved,
  references: readonly Reference[],
  identity: Identity,
): ResolvedReferences {
  const isRecorded = identity.is === "known" && identity.identitySource === "recorded";
  return resolveReferences(ports.cache, object.metadata.namespace ?? "", references, isRecorded);
}

/** Reports whether somebody changed or deleted the Secret beside a settled object. @throws KubeError */
async function isWrittenSecretChanged({ ports, kind, object }: Unresolved, goal: Goal): Promise<boolean> {
  if (goal !== "present" || kind.writtenSecret === undefined || !isSettled(object)) return false;
  const written = kind.writtenSecret(memoryIn(kind.resource, object));
  return written !== undefined && !(await ports.outputs.isAsWritten(object, written));
}

/** Claims the fields that the kind is about to write. The object's own id counts only once it is recorded. */
function claimFields({ ports, kind, object }: Unresolved, context: ReconcileContext): void {
  if (kind.fieldClaims === undefined) return;
  ports.fieldOwnership.want(object, kind.fieldClaims({ ...context, id: recordedId(context) }));
}

/** Reads the values that the spec refers to, and builds the kind's inputs; or returns how the reconcile ends. */
async function resolveInputs(
  { ports, object }: Unresolved,
  needs: Needs<unknown>,
  references: ResolvedReferences,
  {
    connection,
    allowMissing,
  }: { readonly connection: Connection } & Pick<Parameters<typeof resolver>[2], "allowMissing">,
): Promise<{ readonly value: unknown; readonly fingerprint: ResolvedNeeds["fingerprint"] } | ReconcileResult> {
  if (references.is === "unresolved" && allowMissing === undefined) return waiting(references.why);
  const { namespace = "", generation = 0 } = object.metadata;
  const rules = secretRules(connection, ports.usedSecrets(namespace));
  const values = await resolveValues(ports.reader, { namespace, maxAgeMs: VALUES_MAX_AGE_MS, rules }, needs.values);
  if (values.is === "refused" && allowMissing === undefined) return stalled(values.why);
  if (values.is === "missing" && allowMissing === undefined) return waiting(values.why);
  const resolved = resolver(references, values, {
    key: ports.key,
    generation,
    allowMissing,
    receiver: () => ports.receiver(keyOf(object), connection),
  });
  return { value: needs.inputs(resolved), fingerprint: resolved.fingerprint };
}

/** Returns which Secrets the values of a resource that uses the connection may come from. */
function secretRules({ key, settings }: Connection, inUse: SecretRules["inUse"]): SecretRules {
  const { allowedSecrets: wanted } = settings;
  return { inUse, labels: wanted && { wanted, connection: `${key.kind} "${key.name}"` } };
}

/**
 * Returns why nothing may be written to the place that the spec leads to now. A deletion is checked against the
 * recorded identity only.
 */
function mismatch(
  r: Unresolved,
  references: readonly Reference[],
  connection: Connection,
  {
    recordedIdentity,
    identity,
    goal,
  }: { readonly recordedIdentity: RecordedIdentity; readonly identity: Identity; readonly goal: Goal },
): StatusReason | undefined {
  const { ports, object } = r;
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  return (
    (isGoing ? undefined : connectionMismatch(ports, object, references, connection.key)) ??
    (goal === "present" ? foreignId(r, references, connection, identity) : undefined) ??
    identityMismatch(object, recordedIdentity)
  );
}

/**
 * Returns why a resource that shares a connection with other namespaces may not name an object by its id: a resource of
 * another namespace holds it.
 */
function foreignId(
  { ports, object }: Unresolved,
  references: readonly Reference[],
  { key, host, settings }: Connection,
  identity: Identity,
): StatusReason | undefined {
  if (key.namespace !== "") return undefined;
  const isOwn = identity.is === "known" && identity.identitySource !== "recorded";
  const own = isOwn ? [{ field: "spec", externalId: identity.id }] : [];
  for (const { field, externalId: id } of [...own, ...references]) {
    if (id === undefined) continue;
    const holder = ports.idOwnership.holderElsewhere(id, object, { host, organizationId: settings.organizationId });
    if (holder === undefined) continue;
    const message = `${field}.externalId names ${id}, which belongs to ${holder}. A resource that uses a ${key.kind} names no object of another namespace by its id.`;
    return { reason: "PermissionDenied", message };
  }
  return undefined;
}

/** Returns the identity. An id that this process knows but has not stored yet counts as recorded. */
function knownIdentity({ object, local }: Unresolved): Identity {
  const id = local.persistence.state.outcome?.id;
  return id === undefined ? identify(object) : { is: "known", id, identitySource: "recorded" };
}

/** Returns the identity that a record made now would have. A parent that cannot be resolved stays as recorded. */
function identityToRecord(
  { ports, object }: Unresolved,
  connection: Connection,
  parent: Reference | undefined,
  references: ResolvedReferences,
): RecordedIdentity {
  const isParent = parent !== undefined && parent.optional !== true;
  const resolved = references.is === "resolved" && isParent ? references.ids.get(parent.field) : undefined;
  const parentId = resolved ?? recordedIdentityIn(object, "parentId");
  return {
    connectionUid: connection.uid,
    host: connection.host,
    organizationId: connection.settings.organizationId,
    installation: ports.installation,
    ...(parentId !== undefined && { parentId }),
  };
}

/**
 * Returns where the id of a resource comes from: its own records, else what an earlier resource of its key left. A claim
 * with a valid signature of this resource is a record, with the memory of the create, whose status a crash prevented. A
 * claim that another resource of the same kind, namespace and name signed, as in a restored backup, counts like an entry
 * of the orphan ledger.
 */
async function originOf(
  { ports, kind }: Unresolved,
  place: RecordTarget,
  identity: Identity,
  goal: Goal,
  policies: Resolved["policies"],
): Promise<Origin> {
  const mayAdopt = goal === "present" && hasObject(kind.resource);
  const record = recordOfClaim(ports, place, identity);
  if (record?.uid === place.object.metadata.uid) {
    // A process that was killed right after it adopted an orphan left no status.
    const memory = mayAdopt ? memoryOfOrphan(ports, place, identity) : undefined;
    return { identity: from("recorded", identity), kept: memory ?? keptIn(place, record) };
  }
  if (!mayAdopt || !mayBeOrphaned(place, identity)) return { identity };
  const candidate = await candidateFor(ports, place, policies);
  if (candidate === undefined) return { identity: record === undefined ? identity : from("orphaned", identity) };
  return isAbout(identity, candidate) ? candidate : { identity };
}

/** A backup may be older than the entry: if they name different objects, the claim remains a claim. */
function isAbout(identity: Identity, { orphan }: Origin): boolean {
  return identity.is !== "known" || orphan?.id === identity.id;
}

/** Returns the signed record of a claim; undefined for any other identity, and for a claim without a valid signature. */
function recordOfClaim({ key }: Ports, place: RecordTarget, identity: Identity): SignedRecord | undefined {
  if (identity.is !== "known" || identity.identitySource !== "claimed") return undefined;
  return readRecord(key, place, identity.id);
}

function from(identitySource: IdentitySource, identity: Identity): Identity {
  return identity.is === "known" ? { ...identity, identitySource } : identity;
}

/** Returns the memory of the create. Where the started marker shows that more was done since, it is of no use. */
function keptIn({ object }: RecordTarget, record: SignedRecord | undefined): JsonObject | undefined {
  return isStarted(object) ? undefined : record?.kept;
}

/**
 * Reports whether to look into the orphan ledger: if there is no id and this resource did not begin a create, or if a
 * restored manifest claims an id.
 */
function mayBeOrphaned({ object }: RecordTarget, identity: Identity): boolean {
  if (identity.is !== "none") return identity.is === "known" && identity.identitySource === "claimed";
  const slot = readSlot(object.metadata.annotations?.[INTENT]);
  return slot.is === "empty" || (slot.is === "open" && slot.intent.uid !== object.metadata.uid);
}
