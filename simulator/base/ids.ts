import { createHash, randomBytes } from "node:crypto";

/** A source of ids. */
export interface Ids {
  /** An RFC 4122 version 4 UUID. */
  uuid(): string;
  /** `bytes` bytes in hexadecimal. */
  hex(bytes: number): string;
}

/** @returns random ids; with a seed, the same ids in the same order each time */
export function createIds(seed?: string): Ids {
  let count = 0;
  const bytes = (length: number): Buffer => {
    if (seed === undefined) return randomBytes(length);
    count += 1;
    return createHash("sha512").update(`${seed}/${count}`).digest().subarray(0, length);
  };
  return {
    uuid() {
      const raw = bytes(16);
      raw[6] = ((raw[6] ?? 0) & 0x0f) | 0x40;
      raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80;
      const hex = raw.toString("hex");
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
    },
    hex: (length) => bytes(length).toString("hex"),
  };
}
