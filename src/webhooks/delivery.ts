/**
 * Reads and authenticates deliveries (specification, Events; docs/architecture.md §9). A delivery is only a hint: it
 * provides the ids of the applications to check, and the name of its event as a label.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import { z } from "zod";

import type { ReceiverKeys } from "../engine/connections/receiver-keys.ts";
import { listMember, member, tryParseJson } from "../kube/api/json.ts";
import type { ObjectKey } from "../kube/api/types.ts";

/** The event names of the documentation, and those of deployed services. */
const EVENTS = [
  "DEPLOYMENT_STARTED",
  "DEPLOYMENT_SUCCEEDED",
  "DEPLOYMENT_FAILED",
  "DEPLOYMENT_SUCCESSFUL",
  "DEPLOYMENT_FAILURE",
  "DEPLOYMENT_CANCELLED",
] as const;

/** A label with a bounded number of values: all other names are "other". */
export type EventLabel = (typeof EVENTS)[number] | "other";

/** The largest number of ids that are read: no deployment has more applications. */
const MOST_IDS = 500;

const id = z.guid();

/** @returns the event and the distinct ids of applications; no ids for an unreadable delivery. Never throws. */
export function readDelivery(text: string): { readonly event: EventLabel; readonly ids: readonly string[] } {
  const body = tryParseJson(text);
  const event = EVENTS.find((known) => known === member(body, "event_type")) ?? "other";
  const payload = member(body, "payload");
  // The sender may be hostile, and 64 KiB hold 30,000 malformed applications.
  const listed = listMember(payload, "applications").slice(0, MOST_IDS);
  const applications = listed.map((application) => member(application, "id"));
  const ids = [member(payload, "application_id"), ...applications].flatMap(
    (given) => id.safeParse(given).data?.toLowerCase() ?? [],
  );
  return { event, ids: [...new Set(ids)].slice(0, MOST_IDS) };
}

/** A connection that expects deliveries. */
export interface Expecting {
  readonly key: ObjectKey;
  readonly keys: ReceiverKeys;
  /** Whether the platform was given the secret: a delivery without it is then refused. */
  readonly sendsSecret: boolean;
}

/** Only the last segment matters: the receiver may be reached under any prefix. */
const PATH = /^(?:\/[^?#]*)?\/([0-9a-f]{64})(?:\?.*)?$/;

/**
 * Authenticates a request, in a time that does not depend on how much of its path and secret is right. The name of the
 * header with the secret does not matter, as descriptions of it differ (docs/architecture.md §9).
 * @param url the path and query of the request
 * @returns the connection whose platform sent it; undefined when the path is unknown, or the secret is wrong or missing
 */
export function senderOf(
  expecting: readonly Expecting[],
  url: string,
  headers: IncomingHttpHeaders,
): ObjectKey | undefined {
  const path = PATH.exec(url)?.[1];
  if (path === undefined) return undefined;
  // Every connection is compared, so that the time does not depend on the position of the right one.
  const same = expecting.filter(({ keys }) => isSame(keys.path, path));
  const sender = same.at(0);
  if (sender === undefined) return undefined;
  const values = Object.values(headers).flatMap((value) => value ?? []);
  const proofs = values.filter((value) => isSame(sender.keys.secret, value));
  return sender.sendsSecret && proofs.length === 0 ? undefined : sender.key;
}

/** Compares hashes, as they have the same length whatever was sent. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
