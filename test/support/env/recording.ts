import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import type { AuditEvent } from "../../control-plane/audit.ts";
import { callsIn, isChange } from "../platform/change-log.ts";
import { type AuditTail, writesOf } from "./audit-tail.ts";

export type Recording = ReturnType<typeof recordFrom>;

/** @returns a recording from now on @param requestsBefore how many requests of the operator the log has so far */
export function recordFrom(platform: Simulator, tail: AuditTail, requestsBefore: number) {
  const from = platform.journal().at(-1)?.seq ?? 0;
  const calls = (operation?: string): readonly CallEntry[] =>
    callsIn(platform.journal(), from).filter((call) => operation === undefined || call.operation === operation);
  const changeCalls = (): readonly CallEntry[] => calls().filter(isChange);
  const requests = async (): Promise<readonly AuditEvent[]> => (await tail()).slice(requestsBefore);
  return {
    calls,
    /** The calls of the platform's API that asked for a change, refused ones included. */
    changeCalls,
    changes: (): readonly string[] =>
      changeCalls().map(({ method, path, operation }) => operation ?? `${method} ${path}`),
    /** All of the operator's requests to Kubernetes, bodies of its patches included. */
    requests,
    /** The operator's writes to Kubernetes, refused ones included, with those of events and leases separately. */
    writes: async () => writesOf(await requests()),
  };
}
