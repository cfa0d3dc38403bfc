/** What an operator requested from the API server and from the platform, by the audit log and the journal. */
import { randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { type AuditEvent, isWrite, parseAudit } from "../../control-plane/audit.ts";
import { callsIn, isChange } from "../platform/change-log.ts";

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

type Write = ReturnType<typeof short>;

/** Returns all finished requests of a user, in the order of their end. */
export type AuditTail = () => Promise<readonly AuditEvent[]>;

/**
 * The requests of one user to the API server, from its audit log.
 * @param user the user's name in the log
 * @param touch makes a harmless request with the given text in its URL: once the log has it, it has all earlier ones
 */
export function auditTail(path: string, user: string, touch: (mark: string) => Promise<unknown>): AuditTail {
  const events: AuditEvent[] = [];
  let offset = 0;
  let rest = Buffer.alloc(0);
  let reading: Promise<unknown> = Promise.resolve();

  const more = async (): Promise<string[]> => {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset);
      offset += bytesRead;
      const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = text.lastIndexOf(0x0a) + 1;
      rest = text.subarray(end);
      return text.subarray(0, end).toString().split("\n");
    } finally {
      await file.close();
    }
  };

  const take = async (mark: string): Promise<boolean> => {
    const lines = await more();
    for (const event of parseAudit(lines, user)) events.push(event);
    return lines.some((line) => line.includes(mark));
  };

  const read: AuditTail = async () => {
    const mark = randomUUID();
    await touch(mark);
    while (!(await take(mark))) await sleep(10);
    // The API server answers before it logs: a request that ended just before the mark may be logged just after.
    await sleep(50);
    await take(mark);
    return [...events];
  };

  return async () => {
    const mine = reading.then(read, read);
    reading = mine;
    return mine;
  };
}

/** @returns the writes among the requests, with those of leases and events separately */
function writesOf(events: readonly AuditEvent[]) {
  const writes = events.filter(isWrite);
  const of = (...resources: readonly string[]): readonly Write[] =>
    writes.filter(({ objectRef }) => resources.includes(objectRef?.resource ?? "")).map(short);
  const apart = new Set(["events", "leases"]);
  return {
    objects: writes.filter(({ objectRef }) => !apart.has(objectRef?.resource ?? "")).map(short),
    events: of("events"),
    leases: of("leases"),
  };
}

/** Summarizes a write request for the output of a failing test. */
function short({ verb, objectRef, responseStatus }: AuditEvent) {
  const { resource = "", subresource = "", name = "" } = objectRef ?? {};
  return {
    verb,
    /** E.g. "platformapplications/status". */
    what: subresource === "" ? resource : `${resource}/${subresource}`,
    name,
    code: responseStatus?.code ?? 0,
  };
}
