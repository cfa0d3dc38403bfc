/** Whether a request comes from the platform, judged by its path and headers alone, before its body is read. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

import type { ReceiverKeys } from "../engine/connections/receiver-keys.ts";
import type { ObjectKey } from "../kube/api/types.ts";

/** A connection that expects deliveries. */
export interface Expecting {
  readonly key: ObjectKey;
  readonly keys: ReceiverKeys;
  /** Whether the platform was asked to send the secret along. */
  readonly sendsSecret: boolean;
}

export type Judgement =
  | { readonly is: "genuine"; readonly connection: ObjectKey }
  /** There is no such path, or the path is right and the secret is not. */
  | { readonly is: "unproven" };

/** Receivers may be reached under any prefix, so the last segment decides. */
const PATH = /^(?:\/[^?#]*)?\/([0-9a-f]{64})(?:\?.*)?$/;

/** Descriptions of the header differ in its name (docs/architecture.md §9): both styles count. */
const SECRET_HEADER = /^x-(?:.+-)?(?:signature|secret)(?:-.+)?$/;

/** @param url the path and query of the request. Takes the same time for whatever is nearly right. */
export function judge(expecting: readonly Expecting[], url: string, headers: IncomingHttpHeaders): Judgement {
  const path = PATH.exec(url)?.[1];
  if (path === undefined) return { is: "unproven" };
  // All are looked at, so that the time tells nothing of how many there are before the right one.
  const same = expecting.filter(({ keys }) => isSame(keys.path, path));
  const mine = same.at(0);
  if (mine === undefined) return { is: "unproven" };
  const secrets = Object.entries(headers).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value ?? ""] : []));
  const proven = secrets.flat().filter((secret) => isSame(mine.keys.secret, secret)).length > 0;
  if (mine.sendsSecret && secrets.length > 0 && !proven) return { is: "unproven" };
  return { is: "genuine", connection: mine.key };
}

/** Of hashes, which are of one length whatever was sent. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
