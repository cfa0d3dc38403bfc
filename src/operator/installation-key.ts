/** Reads the key of the installation from its Secret, and fills the Secret once. */
import { randomBytes } from "node:crypto";

import { INSTALLATION_KEY } from "../api/names.ts";
import {
  installationKey,
  KEY_BYTES,
  temporaryKey,
  type InstallationKey,
} from "../engine/ownership/installation-key.ts";
import { abortableSleep, createBackoff } from "../kube/api/clock.ts";
import { isKube } from "../kube/api/errors.ts";
import { member, stringMember } from "../kube/api/json.ts";
import { objectPath, SECRET } from "../kube/api/paths.ts";
import { type KubeClient, mergePatch, readOptional } from "../kube/api/transport.ts";
import type { Clock, Json } from "../kube/api/types.ts";
import type { Logger } from "../observability/logger.ts";

/** The member of the Secret's data. */
const KEY = "key";

export interface InstallationKeyOptions {
  readonly client: KubeClient;
  /** The operator's namespace. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Ends the retries. */
  readonly stopping: AbortSignal;
}

/**
 * Returns the key of the installation. An empty Secret gets a random key, checked by its resourceVersion, so that two
 * processes agree on one key. A failed read or write is tried again. Where the Secret does not exist, may not be read
 * or written, or has something else under "key", the key lasts as long as this process: it is logged what follows, and
 * nothing is overwritten. Only the leader may call it.
 * @returns undefined if the operator stops first
 */
export async function loadInstallationKey(options: InstallationKeyOptions): Promise<InstallationKey | undefined> {
  const { clock, random, log, stopping, namespace } = options;
  const backoff = createBackoff({ baseMs: 500, capMs: 10_000, random });
  const name = INSTALLATION_KEY;
  while (!stopping.aborted) {
    const wait = backoff.next();
    try {
      const bytes = await readOrFill(options);
      if (typeof bytes !== "string") return installationKey(bytes);
      log.error(
        `the Secret of the installation's key ${bytes}: until the next start, values count as changed when their ` +
          "Secret or ConfigMap has another version, and records are not signed",
        { namespace, name },
      );
      return temporaryKey();
    } catch (error) {
      log.warn("cannot read or fill the Secret of the installation's key: trying again", {
        namespace,
        name,
        error,
        retryInMs: Math.round(wait),
      });
    }
    await abortableSleep(clock, wait, stopping);
  }
  return undefined;
}

/**
 * Returns the stored key without filling the Secret, for a plan of a person.
 * @returns a temporary key where the person may not read the Secret, or it has none
 * @throws KubeError
 */
export async function readInstallationKey(client: KubeClient, namespace: string): Promise<InstallationKey> {
  try {
    const secret = await readOptional(client, objectPath(SECRET, { namespace, name: INSTALLATION_KEY }));
    const stored = secret === undefined ? undefined : keyIn(secret);
    return stored === undefined || stored.length < KEY_BYTES ? temporaryKey() : installationKey(stored);
  } catch (error) {
    if (isKube(error, "Forbidden")) return temporaryKey();
    throw error;
  }
}

/** @returns the bytes, or what is wrong with the Secret. @throws KubeError */
async function readOrFill({ client, namespace }: InstallationKeyOptions): Promise<Uint8Array | string> {
  const path = objectPath(SECRET, { namespace, name: INSTALLATION_KEY });
  try {
    const secret = await readOptional(client, path);
    if (secret === undefined) return "does not exist";
    const stored = keyIn(secret);
    if (stored !== undefined)
      return stored.length >= KEY_BYTES ? stored : `has fewer than ${String(KEY_BYTES)} bytes under "${KEY}"`;
    const bytes = randomBytes(KEY_BYTES);
    const metadata = { resourceVersion: stringMember(member(secret, "metadata"), "resourceVersion") ?? "" };
    await client.request(mergePatch(path, { metadata, data: { [KEY]: bytes.toString("base64") } }));
    return bytes;
  } catch (error) {
    if (isKube(error, "Forbidden")) return "may not be read or written by the operator";
    throw error;
  }
}

function keyIn(secret: Json): Uint8Array | undefined {
  const text = stringMember(member(secret, "data"), KEY);
  return text === undefined || text === "" ? undefined : Buffer.from(text, "base64");
}
