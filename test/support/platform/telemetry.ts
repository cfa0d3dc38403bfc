/** What the operator reports: a log that keeps its lines, a request to the platform, and a reconcile. */
import type { Fields, Logger } from "../../../src/observability/logger.ts";
import type { RunningReconcile } from "../../../src/observability/reconcile-tracker.ts";
import type { CallRecord } from "../../../src/platform/client/caller.ts";

/** @returns a logger, and the lines that were written with it */
export function recordingLog() {
  const lines: (readonly [level: string, message: string, fields: Fields])[] = [];
  const at =
    (level: string): Logger["info"] =>
    (message, fields = {}) =>
      lines.push([level, message, fields]);
  const log = { trace: at("trace"), debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log: log satisfies Logger, lines };
}

/** A deployment that the platform accepted. */
export function deployCall(change: Partial<CallRecord> = {}): CallRecord {
  return {
    ...({ operation: "deployApplication", method: "POST", ids: { applicationId: "service-1" } } as const),
    ...{ attempt: 1, status: 202, sent: true, failure: undefined, durationMs: 250, requestId: "request-1" },
    ...change,
  };
}

/** A reconcile of an application. */
export function runningReconcile(name = "api", changed?: RunningReconcile["changed"]): RunningReconcile {
  return { id: "p-1", key: `PlatformApplication/shop/${name}`, priority: () => "normal", changed };
}
