/**
 * The keys that prove a delivery: an unguessable path for each connection and, where the platform echoes one, a header.
 * Both are derived (HMAC-SHA256) from the token in the connection's Secret, which itself is never sent. The keys of one
 * connection reveal nothing of another's.
 */
import { createHmac } from "node:crypto";

import type { ObjectKey } from "../../kube/api/types.ts";
import { keyText } from "../contract/keys.ts";

export interface ReceiverKeys {
  /** The last segment of the receiver's path: 64 hex digits. */
  readonly path: string;
  /** The value that the platform sends back in a header: 64 hex digits. */
  readonly secret: string;
}

/** The shortest token that cannot be guessed, in characters. */
export const RECEIVER_TOKEN_LENGTH = 16;

/**
 * Returns the keys of a connection. @param token at least RECEIVER_TOKEN_LENGTH characters. @param connection the one
 * whose deliveries they prove
 */
export function receiverKeys(token: string, connection: ObjectKey): ReceiverKeys {
  const derive = (what: string): string =>
    createHmac("sha256", token)
      .update(`${what} ${keyText(connection)}`)
      .digest("hex");
  return { path: derive("path"), secret: derive("secret") };
}
