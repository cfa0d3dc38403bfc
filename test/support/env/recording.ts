import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import type { AuditEvent } from "../../control-plane/audit.ts";
import { type AuditTail, writesOf } from "./audit-tail.ts";

/** The calls and writes since `record()`. */
export interface Recording {
  /** The calls of the platform's API that asked for a change, refused ones included. */
  changeCalls(): readonly CallEntry[];
  /** The operations of those calls, in order. */
  changes(): readonly string[];
  /** All calls, or those of one operation. */
  calls(operation?: string): readonly CallEntry[];
  /** The operator's writes to Kubernetes, refused ones included, with those of events and leases separately. */
  writes(): Promise<ReturnType<typeof writesOf>>;
  /** All of the operator's requests to Kubernetes, bodies of its patches included. */
  requests(): Promise<readonly AuditEvent[]>;
}

/** Operations that are not GET but change nothing. */
const readOnlyPosts: ReadonlySet<string> = new Set(["createHelmDefaultValues"]);

/** @returns a recording from now on @param requestsBefore how many requests of the operator the log has so far */
export function recordFrom(platform: Simulator, tail: AuditTail, requestsBefore: number): Recording {
  const from = platform.journal().at(-1)?.seq ?? 0;
  const calls: Recording["calls"] = (operation) =>
    platform
      .journal()
      .filter((entry): entry is CallEntry => entry.is === "call" && entry.seq > from)
      .filter((call) => operation === undefined || call.operation === operation);
  const changeCalls: Recording["changeCalls"] = () =>
    calls().filter(({ method, operation }) => method !== "GET" && !readOnlyPosts.has(operation ?? ""));
  const requests: Recording["requests"] = async () => (await tail.read()).slice(requestsBefore);
  return {
    calls,
    changeCalls,
    changes: () => changeCalls().map(({ method, path, operation }) => operation ?? `${method} ${path}`),
    requests,
    writes: async () => writesOf(await requests()),
  };
}
