/**
 * What a delivery says (specification, Events; docs/architecture.md §9). It is a hint from outside: nothing of it is
 * used but which applications to look at, and its event's name as a label.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { z } from "zod";

import type { ReceiverKeys } from "../engine/connections/receiver-keys.ts";
import { listMember, member, tryParseJson } from "../kube/api/json.ts";
import type { ObjectKey } from "../kube/api/types.ts";

/** Both families of names: those of the documentation, and those of deployed services. */
const EVENTS = [
  "DEPLOYMENT_STARTED",
  "DEPLOYMENT_SUCCEEDED",
  "DEPLOYMENT_FAILED",
  "DEPLOYMENT_SUCCESSFUL",
  "DEPLOYMENT_FAILURE",
  "DEPLOYMENT_CANCELLED",
] as const;

/** A bounded label: names that nobody documented are one. */
export type EventLabel = (typeof EVENTS)[number] | "other";

/** Nobody deploys more at once. */
const MOST_IDS = 500;

const id = z.guid();

/** @returns its event and the ids of applications, each once; nothing for what cannot be read. Never throws. */
export function readDelivery(text: string): { readonly event: EventLabel; readonly ids: readonly string[] } {
  const body = tryParseJson(text);
  const event = EVENTS.find((known) => known === member(body, "event_type")) ?? "other";
  const payload = member(body, "payload");
  const applications = listMember(payload, "applications").map((application) => member(application, "id"));
  const ids = [member(payload, "application_id"), ...applications].flatMap(
    (given) => id.safeParse(given).data?.toLowerCase() ?? [],
  );
  return { event, ids: [...new Set(ids)].slice(0, MOST_IDS) };
}

/** A connection that expects deliveries. */
export interface Expecting {
  readonly key: ObjectKey;
  readonly keys: ReceiverKeys;
  /** Whether the platform was asked to send the secret along. */
  readonly sendsSecret: boolean;
}

/** Receivers may be reached under any prefix, so the last segment decides. */
const PATH = /^(?:\/[^?#]*)?\/([0-9a-f]{64})(?:\?.*)?$/;

/** Descriptions of the header differ in its name (docs/architecture.md §9): both styles count. */
const SECRET_HEADER = /^x-(?:.+-)?(?:signature|secret)(?:-.+)?$/;

/**
 * Takes the same time for whatever is nearly right.
 * @param url the path and query of the request
 * @returns the connection whose platform proves to have sent it; undefined where there is no such path, or the path is
 * right and the secret is not
 */
export function senderOf(
  expecting: readonly Expecting[],
  url: string,
  headers: IncomingHttpHeaders,
): ObjectKey | undefined {
  const path = PATH.exec(url)?.[1];
  if (path === undefined) return undefined;
  // All are looked at, so that the time tells nothing of how many there are before the right one.
  const same = expecting.filter(({ keys }) => isSame(keys.path, path));
  const sender = same.at(0);
  if (sender === undefined) return undefined;
  const secrets = Object.entries(headers).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value ?? ""] : []));
  const proven = secrets.flat().filter((secret) => isSame(sender.keys.secret, secret)).length > 0;
  return sender.sendsSecret && secrets.length > 0 && !proven ? undefined : sender.key;
}

/** Of hashes, which are of one length whatever was sent. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
