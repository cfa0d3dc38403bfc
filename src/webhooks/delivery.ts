/**
 * Reads and authenticates deliveries (specification, Events). A delivery is only a hint: it
 * provides the ids of the objects to check, and the name of its event as a label.
 */
import type { IncomingHttpHeaders } from "node:http";

import { z } from "zod";

import type { Receiver } from "../engine/contract/kind.ts";
import { sameCode } from "../engine/ownership/installation-key.ts";
import { member, tryParseJson } from "../kube/api/json.ts";
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

/** The largest number of ids that are read: no deployment has more services. */
const MAX_IDS = 500;

const id = z.guid();

/**
 * @returns the event and the distinct ids of the objects that the payload names, as one id ("application_id") or in a
 * list
 *   ("applications", "databases", …); no ids for an unreadable delivery. Never throws.
 */
export function readDelivery(text: string): { readonly event: EventLabel; readonly ids: readonly string[] } {
  const body = tryParseJson(text);
  const event = EVENTS.find((known) => known === member(body, "event_type")) ?? "other";
  const payload = member(body, "payload");
  const ids: string[] = [];
  const take = (given: unknown): void => {
    const found = id.safeParse(given).data;
    if (found !== undefined) ids.push(found.toLowerCase());
  };
  // The sender may be hostile, and 64 KiB hold 30,000 malformed items.
  let left = MAX_IDS;
  for (const [name, value] of Object.entries(typeof payload === "object" ? (payload ?? {}) : {})) {
    if (name === "application_id") take(value);
    for (const item of Array.isArray(value) ? value.slice(0, left) : []) {
      left -= 1;
      take(member(item, "id"));
    }
  }
  return { event, ids: [...new Set(ids)].slice(0, MAX_IDS) };
}

/** What proves a delivery for one PlatformWebhook. */
export interface DeliveryProof extends Pick<Receiver, "path" | "secret"> {
  /** The connection whose platform delivers. */
  readonly connection: ObjectKey;
  /** Whether the platform was given the secret: a delivery without it is then refused. */
  readonly sendsSecret: boolean;
}

/** Returns what proves a delivery for a resource; undefined where none is expected. */
export type Expected = (webhook: Pick<ObjectKey, "namespace" | "name">) => DeliveryProof | undefined;

/** Namespace, name and code. What is before them does not matter: the receiver may be reached under any prefix. */
const PATH = /^(?:\/[^?#]*)?\/(([-a-z0-9]{1,63})\/([-.a-z0-9]{1,253})\/[-_A-Za-z0-9]{22})(?:\?.*)?$/;

/**
 * Authenticates a request, in a time that does not depend on how much of its code and secret is right. The name of the
 * header with the secret does not matter, as descriptions of it differ.
 * @param url the path and query of the request
 * @returns the connection whose platform sent it; undefined when the path is unknown, or the secret is wrong or missing
 */
export function senderOf(expected: Expected, url: string, headers: IncomingHttpHeaders): ObjectKey | undefined {
  const [, path, namespace, name] = PATH.exec(url) ?? [];
  if (path === undefined || namespace === undefined || name === undefined) return undefined;
  const proof = expected({ namespace, name });
  if (proof === undefined || !sameCode(proof.path, path)) return undefined;
  const values = Object.values(headers).flatMap((value) => value ?? []);
  // Every value is compared, so that the time does not depend on the position of the right one.
  const matching = values.filter((value) => sameCode(proof.secret, value));
  return proof.sendsSecret && matching.length === 0 ? undefined : proof.connection;
}
