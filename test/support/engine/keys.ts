import { installationKey, KEY_BYTES, type InstallationKey } from "../../../src/engine/ownership/installation-key.ts";

/** @returns a stored key that two calls with the same text share */
export function aKey(text = "key"): InstallationKey {
  return installationKey(Buffer.alloc(KEY_BYTES, text));
}
