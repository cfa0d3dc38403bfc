/** Hop 3 of a reconcile: parses the spec, resolves references, connection and values, and finds out where the id of the
 * resource comes from. */
import { INTENT } from "../../api/names.ts";
import { isObject, member } from "../../kube/api/json.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import { keyText } from "../contract/keys.ts";
import type {
  ExternalLifecycle,
  Goal,
  IdentitySource,
  Kind,
  KindTypes,
  Needs,
  RatedApi,
  ReconcileContext,
  Reference,
  Uuid,
  Why,
} from "../contract/kind.ts";
import { parseSpec } from "../contract/spec.ts";
import { text } from "../contract/status.ts";
import { identify, type Identity, identityMismatch, isForeign, type RecordedIdentity } from "../ledger/identity.ts";
import { type Place, readRecord } from "../ledger/record.ts";
import type { Orphan } from "../orphans/orphan.ts";
import { invalidWindows } from "../policies/change-window.ts";
import { causeIn, policyStatusIn } from "../policies/policy-status.ts";
import { invalidSpec, type Policies, policiesOf } from "../policies/policy.ts";
import { type Gate, resolveReferences, strayed } from "../references/references.ts";
import { resolver } from "../references/resolver.ts";
import { resolveValues } from "../references/values.ts";
import type { Result } from "../status/build.ts";
import { resolveConnection } from "./connection.ts";
import type { Reconciliation } from "./frame.ts";
import { candidateFor, memoryOfOrphan } from "./orphan.ts";
import { contextOf } from "./reconcile-context.ts";

export type Resolution<K extends KindTypes> = { readonly is: "ready"; readonly frame: Reconciliation<K> } | Unresolved;

/** The result of a reconcile that ends before it can plan. */
export interface Unresolved {
  readonly is: "ended";
  readonly result: Result;
  readonly lacksConnection?: boolean;
}

/** Secrets with values are read at each poll, but not at every step of a deployment that is followed. */
const VALUES_MAX_AGE_MS = 5_000;

const stalled = (why: Why): { readonly is: "ended"; readonly result: Result } => ({
  is: "ended",
  result: { is: "stalled", why, exchange: "none" },
});
const waiting = (why: Why): { readonly is: "ended"; readonly result: Result } => ({
  is: "ended",
  result: { is: "waiting", why, exchange: "none" },
});

/**
 * Resolves all that a reconcile needs, or returns how it ends without that. For a goal other than "present" only the
 * connection is required: a child of a deleted parent is deleted by its recorded id.
 * @throws KubeError
 */
export async function resolveObject<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
  goal: Goal,
): Promise<Resolution<K>> {
  const trusted = trust(ports, kind, object, local);
  if (trusted.is === "ended") return trusted;
  const { spec, identity } = trusted;
  const needs = kind.needs(spec);
  const insist = goal === "present";
  const recorded = identity.is === "known" && identity.identitySource === "recorded";
  const gate = resolveReferences(ports.cache, object.metadata.namespace ?? "", needs.references, recorded);
  const absent = insist ? missing(gate) : undefined;
  if (absent !== undefined) return waiting(absent);
  const reached = await resolveConnection(ports, kind, spec, object, goal);
  if (reached.is === "ended") return reached;
  const { connection } = reached;
  connection.users.add(keyText(keyOf(object)));
  const recordedIdentity = pinsOf(ports, connection, object, needs, gate);
  const misplaced = displacement(ports, object, needs.references, { connection, recordedIdentity });
  if (misplaced !== undefined) return stalled(misplaced);
  const inputs = await inputsOf(ports, object, needs, gate, {
    token: connection.token,
    generation: object.metadata.generation ?? 0,
    lenient: insist ? undefined : { parentId: recordedIdentity.parentId },
  });
  if (inputs.is === "missing") return waiting(inputs.why);
  const policies = policiesOf(object, connection.settings.defaults, kind.needsApproval);
  const unclear = unclearWindows(invalidWindows(policies.windows, ports.clock.now()), goal);
  if (unclear !== undefined) return unclear;
  const frame = {
    object,
    cause: causeIn(object),
    local,
    connection,
    recordedIdentity,
    policies,
    policyStatus: policyStatusIn(object),
  };
  const { orphan, ...proven } = await originOf(ports, frame, identity, {
    goal,
    externalLifecycle: kind.externalLifecycle,
  });
  const context = contextOf(ports, kind, frame, { spec, inputs: inputs.inputs, goal, ...proven, needs });
  claimEntries(ports, kind, object, context);
  return { is: "ready", frame: { ...frame, context, orphan } };
}

/** What would stall a deletion lets the object wait: a window that cannot be parsed must not read as "none". */
function unclearWindows(why: Why | undefined, goal: Goal): ReturnType<typeof stalled> | undefined {
  return why && (goal === "present" ? stalled(why) : waiting(why));
}

/** Returns why nothing may be written where the spec leads now. A deletion is judged by where the object was. */
function displacement<Api extends RatedApi>(
  ports: Ports<Api>,
  object: KubeObject,
  references: readonly Reference[],
  {
    connection,
    recordedIdentity,
  }: { readonly connection: Connection<Api>; readonly recordedIdentity: RecordedIdentity },
): Why | undefined {
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  return (
    (isGoing ? undefined : strayed(ports, object, references, connection.key)) ??
    identityMismatch(object, recordedIdentity)
  );
}

/** Claims the fields that the kind is about to write; none in an object that is not yet known to be its own. */
function claimEntries<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  context: ReconcileContext<K>,
): void {
  if (kind.fieldOwnership === undefined || context.goal !== "present") return;
  ports.fieldOwnership.want(object, kind.fieldOwnership({ ...context, id: recordedId(context) }));
}

/** Returns the id that may be stored: one that was given or claimed only after the kind verified and adopted it. */
export function recordedId(context: {
  readonly id: Uuid | undefined;
  readonly identitySource: IdentitySource | undefined;
}): Uuid | undefined {
  return context.identitySource === "recorded" ? context.id : undefined;
}

/** Reports a missing parent before anything about the connection, which may be the parent's. */
function missing(gate: Gate): Why | undefined {
  return gate.is === "shut" && gate.missing ? gate.why : undefined;
}

/** Checks what needs no request: the spec, and which object of the platform the resource represents. */
function trust<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  object: KubeObject,
  local: LocalState,
): { readonly is: "trusted"; readonly spec: K["spec"]; readonly identity: Identity } | ReturnType<typeof stalled> {
  const parsed = parseSpec(kind.resource.spec, object);
  if (!parsed.success) return stalled(invalidSpec(parsed.error));
  // A connection records nothing but the registration of its receiver, which is judged on its own.
  const foreign = kind.connection === undefined ? isForeign(ports, object) : undefined;
  if (foreign !== undefined) return stalled(foreign);
  const identity = known(object, local);
  return identity.is === "refused" ? stalled(identity.why) : { is: "trusted", spec: parsed.data, identity };
}

async function inputsOf<K extends KindTypes>(
  ports: Ports<K["api"]>,
  object: KubeObject,
  needs: Needs<K["inputs"]>,
  gate: Gate,
  how: Parameters<typeof resolver>[2],
): Promise<{ readonly is: "found"; readonly inputs: K["inputs"] } | { readonly is: "missing"; readonly why: Why }> {
  if (gate.is === "shut" && how.lenient === undefined) return { is: "missing", why: gate.why };
  const namespace = object.metadata.namespace ?? "";
  const values = await resolveValues(ports.reader, namespace, needs.values, VALUES_MAX_AGE_MS);
  if (values.is === "missing" && how.lenient === undefined) return values;
  return { is: "found", inputs: needs.inputs(resolver(gate, values, how)) };
}

/** Returns the identity with what this process knows but has not stored yet. */
function known(object: KubeObject, local: LocalState): Identity {
  const id = local.unsaved?.id;
  return id === undefined ? identify(object) : { is: "known", id, identitySource: "recorded" };
}

/** Returns the identity that a record made now would have. A parent that cannot be resolved stays as recorded. */
function pinsOf<K extends KindTypes>(
  ports: Ports<K["api"]>,
  connection: Connection<K["api"]>,
  object: KubeObject,
  needs: Needs<K["inputs"]>,
  gate: Gate,
): RecordedIdentity {
  const pinned = text(member(member(object.status, "identity"), "parentId"));
  const parent = needs.references.slice(0, 1).find(({ optional }) => optional !== true);
  const resolved: Uuid | undefined =
    gate.is === "open" && parent !== undefined ? gate.ids.get(parent.field) : undefined;
  const parentId = resolved ?? pinned;
  return {
    connectionUid: connection.uid,
    host: connection.host,
    organizationId: connection.settings.organizationId,
    installation: ports.installation,
    ...(parentId === undefined ? {} : { parentId }),
  };
}

interface Origin {
  readonly identity: Identity;
  /** The memory of the object where the status does not have it. */
  readonly kept?: JsonObject;
  readonly orphan?: Orphan;
}

/** Returns the object that a resource represents: as recorded, else as an earlier resource of its key left it. */
export async function originOf<Api extends RatedApi>(
  ports: Ports<Api>,
  frame: Place<Api> & { readonly policies: Policies },
  identity: Identity,
  { goal, externalLifecycle }: { readonly goal: Goal; readonly externalLifecycle: ExternalLifecycle },
): Promise<Origin> {
  const proven = provenBySeal(frame, identity);
  if (goal !== "present" || externalLifecycle !== true) return proven;
  if (identity.is === "known") {
    // A process that was killed right after it adopted an orphan left no status.
    const isSealed = identity.identitySource === "claimed" && proven.identity !== identity;
    const memory = isSealed ? memoryOfOrphan(ports, frame, identity.id) : undefined;
    return { ...proven, ...(memory !== undefined && { kept: memory }) };
  }
  if (identity.is !== "none" || frame.object.metadata.annotations?.[INTENT] !== undefined) return proven;
  const found = await candidateFor(ports, frame, frame.policies);
  if (found === undefined) return proven;
  const { orphan, memory } = found;
  return { identity: found.identity, orphan, ...(memory !== undefined && { kept: memory }) };
}

/**
 * A claim with a valid signature counts like the status that a crash prevented, with the memory that the kind keeps.
 */
function provenBySeal<Api>(place: Place<Api>, identity: Identity): Origin {
  if (identity.is !== "known" || identity.identitySource !== "claimed") return { identity };
  const record = readRecord(place, identity.id);
  if (record === undefined) return { identity };
  return { identity: { ...identity, identitySource: "recorded" }, ...(isObject(record.kept) && { kept: record.kept }) };
}
