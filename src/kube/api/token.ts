import { readFile, stat } from "node:fs/promises";

import type { Clock } from "./types.ts";

/** How long a token is used before the file is checked again; kubelet rotates it long before it expires. */
const LOOK_AGAIN_MS = 10_000;

/** A bearer token in a file that another process rotates. */
export interface TokenSource {
  /**
   * @returns the token of the file, from memory while the file was checked less than 10 s ago or has not changed
   * @throws Error when the file cannot be read and no token is in memory
   */
  token(): Promise<string>;
}

/**
 * Reads tokens from a file. client-node's source is not used, as it measures age by the wall clock: a step of one hour
 * back keeps an expired token for an hour.
 */
export function fileToken(path: string, clock: Clock): TokenSource {
  let held: { readonly token: string; readonly mtimeMs: number } | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const read = async (mtimeMs: number): Promise<string> => {
    const token = (await readFile(path, "utf8")).trim();
    held = { token, mtimeMs };
    return token;
  };

  return {
    token: async () => {
      if (held !== undefined && clock.monotonic() - lookedAt < LOOK_AGAIN_MS) return held.token;
      try {
        const { mtimeMs } = await stat(path);
        lookedAt = clock.monotonic();
        return held?.mtimeMs === mtimeMs ? held.token : await read(mtimeMs);
      } catch (error) {
        if (held !== undefined) return held.token;
        throw error;
      }
    },
  };
}
