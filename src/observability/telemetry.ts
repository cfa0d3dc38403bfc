/**
 * Reports the events of the operator's parts as log lines and metrics. The logger "changes" writes one line for every
 * call that asks the platform for a change, with the resource, the cause and the result. The line of a create is the
 * last record of its id: after a crash, the id can be found there.
 */
import type { ChangeRecord, Observer } from "../engine/context/context.ts";
import { parseKey } from "../engine/contract/keys.ts";
import { conditionOf, conditionsOf } from "../engine/contract/status.ts";
import type { OrphanChange } from "../engine/orphans/ledger.ts";
import type { EndedRequest } from "../kube/api/client.ts";
import type { KubeError } from "../kube/api/errors.ts";
import { keyOf } from "../kube/api/objects.ts";
import type { KubeObject, ObjectKey } from "../kube/api/types.ts";
import type { ReflectorObserver } from "../kube/watch/reflector.ts";
import type { Regarding } from "../kube/write/event-publisher.ts";
import type { CallRecord } from "../platform/client/caller.ts";
import { operationEntry } from "../platform/codec/operations.ts";
import { notExecuted } from "../platform/transport/errors.ts";
import type { Fields, Logger } from "./logger.ts";
import type { Metrics } from "./metrics/index.ts";
import type { RunningReconcile } from "./reconcile-tracker.ts";

/** @returns the engine's observer. @param change receives every mutating call at once */
export function engineObserver(log: Logger, { reconcile }: Metrics, change: Observer["change"]): Observer {
  return {
    change,
    status: (object, before) => {
      logTransitions(log, object, before);
    },
    removed: (key) => {
      log.debug("object is gone", fieldsOfKey(key));
    },
    writtenElsewhere: (key, release, why) => {
      log.info("another release of the operator writes the status of this connection", {
        ...fieldsOfKey(key),
        release,
        reason: why?.reason,
        detail: why?.message,
      });
    },
    internal: (key, error) => {
      log.error("reconcile failed unexpectedly", { ...fieldsOfKey(key), error });
      reconcile.panicked(key.kind);
    },
  };
}

/** @returns the observer of the watches */
export function watchObserver(log: Logger, metrics: Metrics["platform"]): ReflectorObserver {
  return {
    listed: (kind, count) => {
      log.debug("listed", { kind, count });
    },
    malformed: (kind) => {
      log.warn("an object or event of the API server could not be read", { kind });
      metrics.malformed(kind);
    },
    failed: (kind, error, retryInMs) => {
      log.warn(watchFailureMessage(error), { kind, error, retryInMs: Math.round(retryInMs) });
    },
  };
}

function watchFailureMessage(error: KubeError): string {
  if (error.failure === "NotFound")
    return "the API server does not know this kind: waiting for its CRD to be installed";
  if (error.failure === "Forbidden") return "not allowed to read this kind: is the operator's RBAC installed?";
  if (error.failure === "Gone") return "the watch fell behind: listing again";
  return "cannot watch this kind: trying again";
}

/** Logs that a namespace of --watch-namespaces cannot be read, or that it is served after that. */
export function logServed(log: Logger, namespace: string, isServed: boolean): void {
  if (isServed) log.info("a namespace is served now", { namespace });
  else log.warn("a namespace is not served: it was deleted, or the operator has no RoleBinding in it", { namespace });
}

/**
 * Logs each condition whose status or reason changed: the first one, which is Ready if it changed, at level info, so that
 * a transition is one line; the others at level debug.
 */
export function logTransitions(log: Logger, object: KubeObject, before: KubeObject): void {
  if (object === before) return;
  let level: "info" | "debug" = "info";
  for (const { type, status, reason, message } of conditionsOf(object)) {
    const old = conditionOf(before, type);
    if (old?.status === status && old.reason === reason) continue;
    log[level]("condition changed", {
      ...fieldsOfKey(keyOf(object)),
      condition: type,
      from: old === undefined ? "" : `${old.status}/${old.reason}`,
      to: `${status}/${reason}`,
      reason,
      detail: message,
    });
    level = "debug";
  }
}

/** Logs that the rate gate of a connection pauses, or that the platform accepts requests again, and after how long. */
export function logLimited(log: Logger, connection: string, isLimited: boolean, sinceMs: number): void {
  const fields = fieldsOfKey(parseKey(connection));
  if (isLimited) log.info("the platform limits the rate of requests: requests pause", fields);
  else log.info("the platform accepts requests again", { ...fields, durationMs: Math.round(sinceMs) });
}

/** Logs a request to the platform. */
export function logCall(log: Logger, connection: string, call: CallRecord): void {
  log.debug(call.sent ? "asked the platform" : "held back by the rate gate", {
    ...fieldsOfKey(parseKey(connection)),
    op: call.operation,
    id: targetIdOf(call),
    attempt: call.attempt,
    ...fieldsOfCall(call),
    result: call.failure ?? "ok",
  });
}

/** Logs a request to the API server. */
export function logRequest(log: Logger, { method, path, code, durationMs }: EndedRequest): void {
  log.trace("asked the API server", { method, path, code, durationMs: Math.round(durationMs) });
}

/** Logs an event that could not be written to the namespace of its object. */
export function logMovedEvent(log: Logger, { kind, name, namespace = "" }: Regarding, reason: string): void {
  const key = { kind, namespace, name };
  log.warn("the namespace is being terminated: its event is in the operator's", { ...fieldsOfKey(key), reason });
}

/**
 * Logs a change of the platform.
 * @param installation the uid of kube-system
 * @param running the reconcile that made the change; it has the call
 */
export function logChange(
  log: Logger,
  installation: string,
  change: ChangeRecord,
  running: RunningReconcile | undefined,
): void {
  const { key, uid, generation, cause, op, commit, result, sent } = change;
  const recorded = running?.changed?.call.operation === op ? running.changed : undefined;
  const { level, message } = resultOf(result, sent);
  log[level](message, {
    ...fieldsOfKey(key),
    uid,
    generation,
    installation,
    cause,
    op,
    id: change.id ?? (recorded === undefined ? undefined : targetIdOf(recorded.call)),
    commit,
    result,
    ...(recorded === undefined ? {} : { connection: recorded.connection, ...fieldsOfCall(recorded.call) }),
  });
}

const ORPHAN_MESSAGES = {
  recorded: "left an object on the platform",
  found: "found an object again that was left on the platform",
  forgotten: "an object that was left on the platform was taken out of the orphan ledger by hand",
  dropped: "the orphan ledger is full: its oldest entry is dropped",
} as const satisfies Record<OrphanChange["is"], string>;

/** Logs a change of the orphan ledger. */
export function logOrphan(log: Logger, { is, orphan }: OrphanChange): void {
  const { kind, namespace, name, id, parentId, installation, host, organizationId, why, at } = orphan;
  log[is === "dropped" ? "warn" : "info"](ORPHAN_MESSAGES[is], {
    ...fieldsOfKey({ kind, namespace, name }),
    installation,
    id,
    parentId,
    host,
    organizationId,
    reason: why,
    since: at,
    orphan: is,
  });
}

/** A call that the rate gate prevented is logged at level debug only: it is tried again until it has a result. */
function resultOf(
  result: ChangeRecord["result"],
  sent: boolean,
): { level: "debug" | "info" | "warn"; message: string } {
  if (result === "ok") return { level: "info", message: "changed the platform" };
  if (!notExecuted({ is: result })) return { level: "warn", message: "may have changed the platform" };
  if (!sent && NOT_ADMITTED.has(result)) return { level: "debug", message: "has not changed the platform yet" };
  return { level: "warn", message: "could not change the platform" };
}

/** Results of calls that the rate gate did not admit: they are tried again. */
const NOT_ADMITTED: ReadonlySet<ChangeRecord["result"]> = new Set(["OverBudget", "RateLimited"]);

/** Returns the fields of a call and its answer. */
function fieldsOfCall({ operation: name, method, status, durationMs, requestId }: CallRecord): Fields {
  return { method, path: operationEntry(name).path, status, durationMs: Math.round(durationMs), requestId };
}

/** Returns the id of the object that a call is about: the last id in its path. */
export function targetIdOf({ ids }: CallRecord): string | undefined {
  return Object.values(ids).at(-1);
}

/** Returns the fields that identify an object; a cluster-scoped object has no namespace. */
export function fieldsOfKey({ kind, namespace, name }: ObjectKey): Fields {
  return { kind, name, ...(namespace === "" ? {} : { namespace }) };
}
