/** What an operator requested from the API server and from the platform, by the audit log and the journal. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Simulator } from "../../../simulator/simulator.ts";
import { type AuditEvent, isWrite, parseAudit } from "../../control-plane/audit.ts";
import { callsIn, isChange } from "../platform/calls.ts";

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
    /** The operator's writes to Kubernetes, refused ones included, except leases, with those of events separately. */
    writes: async () => {
      const writes = (await requests()).filter(isWrite).map(short);
      const objects = writes.filter(({ what }) => what !== "leases" && what !== "events");
      return { objects, events: writes.filter(({ what }) => what === "events") };
    },
  };
}

/** Returns all finished requests of a user, in the order of their end. */
export type AuditTail = () => Promise<readonly AuditEvent[]>;

/**
 * The requests of one user to the API server, from its audit log.
 * @param user the user's name in the log
 * @param touch makes a harmless request with the given text in its URL: once the log has it, it has all earlier ones
 */
export function auditTail(path: string, user: string, touch: (mark: string) => Promise<unknown>): AuditTail {
  const events: AuditEvent[] = [];
  /** Up to which byte complete lines were read. */
  let offset = 0;
  let reading: Promise<unknown> = Promise.resolve();

  const more = async (): Promise<string[]> => {
    const bytes = await buffer(createReadStream(path, { start: offset }));
    const end = bytes.lastIndexOf("\n") + 1;
    offset += end;
    return bytes.subarray(0, end).toString().split("\n");
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
