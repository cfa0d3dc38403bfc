/** Reports what the parts of the operator do, as log lines and as metrics. The change log has a file of its own. */
import type { Observer } from "../engine/context/context.ts";
import { parseKey } from "../engine/contract/keys.ts";
import type { EndedRequest } from "../kube/api/client.ts";
import type { KubeError } from "../kube/api/errors.ts";
import type { ObjectKey } from "../kube/api/types.ts";
import type { ReflectorObserver } from "../kube/watch/reflector.ts";
import type { Regarding } from "../kube/write/event-publisher.ts";
import type { CallRecord } from "../platform/client/caller.ts";
import { operation } from "../platform/codec/operations.ts";
import type { Fields, Logger } from "./logger.ts";
import type { Metrics } from "./metrics/index.ts";

/** @returns the engine's observer. @param change receives every mutating call at once */
export function engineObserver(log: Logger, { reconcile }: Metrics, change: Observer["change"]): Observer {
  return {
    change,
    status: () => {},
    removed: (key) => {
      log.debug("object is gone", fieldsOf(key));
    },
    internal: (key, error) => {
      log.error("reconcile failed unexpectedly", { ...fieldsOf(key), error });
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
      log.warn(watchTrouble(error), { kind, error, retryInMs: Math.round(retryInMs) });
    },
  };
}

function watchTrouble(error: KubeError): string {
  if (error.failure === "NotFound")
    return "the API server does not know this kind: waiting for its CRD to be installed";
  if (error.failure === "Forbidden") return "not allowed to read this kind: is the operator's RBAC installed?";
  if (error.failure === "Gone") return "the watch fell behind: listing again";
  return "cannot watch this kind: trying again";
}

/** Logs a request to the platform. */
export function logCall(log: Logger, connection: string, call: CallRecord): void {
  log.debug(call.sent ? "asked the platform" : "held back by the rate gate", {
    ...fieldsOf(parseKey(connection)),
    op: call.operation,
    id: targetOf(call),
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
  log.warn("the namespace is being terminated: its event is in the operator's", { ...fieldsOf(key), reason });
}

/** Returns the fields of a call and its answer. */
export function fieldsOfCall({ operation: name, method, status, durationMs, requestId }: CallRecord): Fields {
  return { method, path: operation(name).path, status, durationMs: Math.round(durationMs), requestId };
}

/** Returns the object of the platform that a call is about: the last one in its path. */
export function targetOf({ ids }: CallRecord): string | undefined {
  return Object.values(ids).at(-1);
}

export function fieldsOf({ kind, namespace, name }: ObjectKey): Fields {
  return { kind, name, ...(namespace === "" ? {} : { namespace }) };
}
