/** Builds the context of a kind's pure code from what was resolved. */
import type { JsonObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type {
  ContextRecords,
  Goal,
  Kind,
  Needs,
  ReconcileContext,
  IdentitySource,
  Reference,
  Supports,
  Uuid,
  KindTypes,
  RatedApi,
} from "../contract/kind.ts";
import { statusOf } from "../contract/status.ts";
import type { Identity } from "../ledger/identity.ts";
import { isStarted } from "../ledger/one-shot.ts";
import { presenceOf, sightingsOf } from "../ownership/presence.ts";
import { adoptionPolicy, requestedToken } from "../policies/policy.ts";
import { deadlineOf } from "../status/deadline.ts";
import type { Reconciliation } from "./frame.ts";

/** Returns the context of this reconcile. */
export function contextOf<K extends KindTypes>(
  ports: Ports<K["api"]>,
  kind: Kind<K>,
  frame: Omit<Reconciliation<K>, "context">,
  found: {
    readonly spec: K["spec"];
    readonly inputs: K["inputs"];
    readonly goal: Goal;
    readonly identity: Identity;
    readonly kept?: JsonObject;
    readonly needs: Needs<K["inputs"]>;
  },
): ReconcileContext<K> {
  const { object, local, connection, recordedIdentity, policies } = frame;
  const { settings } = connection;
  const supports: Supports = (operation) => connection.api.capabilities.supports(operation);
  const id = found.identity.is === "known" ? found.identity.id : undefined;
  const identitySource: IdentitySource | undefined =
    found.identity.is === "known" ? found.identity.identitySource : undefined;
  const context: ReconcileContext<K> = {
    resource: { name: object.metadata.name, generation: object.metadata.generation ?? 0 },
    spec: found.spec,
    inputs: found.inputs,
    goal: found.goal,
    now: ports.clock.now(),
    id,
    identitySource,
    memory: kind.resource.memory.parse(local.unsaved?.memory ?? { ...found.kept, ...statusOf(object) }),
    supports,
    requested: requestedToken(object),
    policies: {
      adoption: adoptionPolicy(policies.adoption, {
        listable: kind.listable?.(supports) === true,
        parentManagedHere: isManagedHere(found.needs.references[0], connection),
      }),
      onMissing: policies.onMissing,
      corrects: policies.corrects,
      retry: policies.retry,
      deadline: deadlineOf(kind, object, local, ports.clock.now()),
      blockedOperations: new Set(),
      pendingOperations: new Set(),
      allowUnverifiedIds: settings.allowUnverifiedIds,
      allowedProjects: settings.allowedProjects,
    },
    records: {
      holderOf: (candidate) =>
        ports.idOwnership.holder(candidate, object, recordedIdentity) ??
        ports.fieldOwnership.writer(candidate, object, recordedIdentity),
      presence: presenceIn(ports, local, { id, goal: found.goal }),
      writtenAt: id === undefined ? undefined : ports.externalWrites.latest(id, recordedIdentity),
      writtenInto: (other) => ports.externalWrites.latest(other, recordedIdentity),
      // What this process knows and could not store yet counts.
      begun:
        (kind.oneShot === undefined ? kind.notObservableAfterwards !== undefined : local.unsaved === undefined) &&
        isStarted(object),
    },
  };
  return informed(ports, kind, context, frame);
}

/**
 * Adds the last action that another resource requested for the object. What happened before this resource was created
 * may be outdated, as nobody recorded what was done since.
 */
function informed<K extends KindTypes>(
  { externalWrites }: Ports<K["api"]>,
  kind: Kind<K>,
  context: ReconcileContext<K>,
  { object, recordedIdentity }: Pick<Reconciliation<K>, "object" | "recordedIdentity">,
): ReconcileContext<K> {
  const { id, identitySource } = context;
  const action =
    identitySource === "recorded" && id !== undefined ? externalWrites.action(id, recordedIdentity) : undefined;
  if (action === undefined || kind.recordAction === undefined) return context;
  const isOlder = Date.parse(action.at) < Date.parse(object.metadata.creationTimestamp ?? "");
  return isOlder ? context : { ...context, memory: kind.recordAction(action, context) };
}

function presenceIn<Api extends RatedApi>(
  { clock, windows }: Ports<Api>,
  local: LocalState,
  { id = "", goal }: { readonly id: Uuid | undefined; readonly goal: Goal },
): ContextRecords["presence"] {
  return (sight) =>
    presenceOf(sightingsOf(local, id), sight, { goal, now: clock.monotonic(), absenceMs: windows.absenceMs });
}

/** Reports whether the parent is a resource of the same namespace. Without a parent, the connection counts. */
function isManagedHere<Api>(parent: Reference | undefined, connection: Connection<Api>): boolean {
  return parent === undefined ? connection.key.namespace !== "" : parent.name !== undefined;
}
