/** Builds the context of a kind's pure code from the resolved facts. */
import { runUntilOf } from "../../api/annotations.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import { parseKey } from "../contract/keys.ts";
import type { ContextPolicies, Goal, ReconcileContext, Reference, ResolvedNeeds, Uuid } from "../contract/kind.ts";
import { membersOf, memoryIn, wasListed } from "../contract/status.ts";
import { type Identity, isStarted } from "../ledger/record.ts";
import { listHistoryOf, presenceOf } from "../ownership/presence.ts";
import { policyStatusIn } from "../policies/policy-status.ts";
import { adoptionPolicy, forbidsWrites, type Policies, requestedToken } from "../policies/policy.ts";
import { runScheduleAt } from "../policies/run-schedule.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { requestedRedeploy } from "../status/write.ts";

const NO_IDENTITY = { id: undefined, identitySource: undefined };

/** Returns the context of this reconcile. @param found the resolved facts */
export function reconcileContext(
  r: Omit<Resolved, "context">,
  found: {
    readonly spec: unknown;
    readonly inputs: unknown;
    readonly fingerprint: ResolvedNeeds["fingerprint"];
    readonly goal: Goal;
    readonly identity: Identity;
    /** The memory of the object where the status does not have it. */
    readonly kept?: JsonObject | undefined;
    readonly parent: Reference | undefined;
    readonly allowedProjects: readonly Uuid[] | undefined;
    readonly isSecretChanged: boolean;
  },
): ReconcileContext {
  const { ports, kind, object, local, connection, recordedIdentity, policies } = r;
  const { spec, inputs, fingerprint, goal } = found;
  const { id, identitySource } = found.identity.is === "known" ? found.identity : NO_IDENTITY;
  const isFull = connection.surface === "Full";
  const now = ports.clock.now();
  return {
    resource: { name: object.metadata.name, generation: object.metadata.generation ?? 0 },
    spec,
    inputs,
    goal,
    now,
    id,
    identitySource,
    memory: memoryOf(r, found.kept),
    isFull,
    requested: requestedToken(object),
    policies: {
      adoption: adoptionPolicy(policies.adoption, {
        listable: kind.listable?.(isFull) === true,
        parentManagedHere: isManagedHere(found.parent, connection),
      }),
      onMissing: policies.onMissing,
      corrects: policies.corrects,
      retry: policies.retry,
      redeploy: requestedRedeploy(kind, object),
      runSchedule: goal === "present" ? runScheduleAt(policies.runSchedule, runUntilOf(object), now) : undefined,
      forbiddenBy: forbiddingPolicy(object, policies),
      blockedOperations: new Set(),
      pendingOperations: new Set(),
      allowUnverifiedIds: connection.settings.allowUnverifiedIds,
      allowedProjects: found.allowedProjects,
      failureLogLines: connection.settings.defaults.failureLogLines,
    },
    records: {
      holderOf: (candidate) =>
        ports.idOwnership.holder(candidate, object, recordedIdentity) ??
        ports.fieldOwnership.writer(candidate, object, recordedIdentity),
      nameOf: (of, candidate) => {
        const { namespace = "" } = object.metadata;
        const resources = ports.idOwnership.recorders(candidate).map(parseKey);
        return resources.find((one) => one.kind === of && one.namespace === namespace)?.name;
      },
      presence: (evidence) => {
        const how = { goal, now: ports.clock.monotonic(), absenceMs: ports.windows.absenceMs };
        return presenceOf(listHistoryOf(local.reads, id ?? "", wasListed(object)), evidence, how);
      },
      unread: (operation, status) => local.reads.failed.set(operation, status),
      writtenAt: id === undefined ? undefined : ports.externalWrites.latest(id, recordedIdentity, object),
      writtenInto: (other) => ports.externalWrites.latest(other, recordedIdentity),
      withoutSecrets: (text) => ports.withoutSecrets(text, object.metadata.namespace ?? ""),
      fingerprint,
      isSecretChanged: found.isSecretChanged,
      started: isStarted(object),
    },
  };
}

/**
 * Returns what the kind remembers: as this process knows it, else as the status has it.
 * @param kept the memory of the object where the status does not have it
 */
function memoryOf({ kind: { resource }, object, local }: Omit<Resolved, "context">, kept: JsonObject | undefined) {
  const known = local.persistence.state.outcome?.memory;
  if (known !== undefined || kept === undefined) return known ?? memoryIn(resource, object);
  return resource.memory.parse({ ...kept, ...membersOf(object) });
}

function forbiddingPolicy(object: KubeObject, policies: Policies): ContextPolicies["forbiddenBy"] {
  const { management } = policies;
  const isForbidden = forbidsWrites(policies, policyStatusIn(object).appliedGeneration);
  return isForbidden && management !== "Manage" ? management : undefined;
}

/** Reports whether the parent is a resource of the same namespace; without a parent, whether the connection is. */
function isManagedHere(parent: Reference | undefined, connection: Connection): boolean {
  return parent === undefined ? connection.key.namespace !== "" : parent.name !== undefined;
}
