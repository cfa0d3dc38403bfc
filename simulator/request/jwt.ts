import { createHmac, timingSafeEqual } from "node:crypto";

import { z } from "zod";

export const scopes = ["Admin", "Read", "Deploy", "Write"] as const;
export const Scope = z.enum(scopes);
export type Scope = z.infer<typeof Scope>;

const Claims = z.object({
  sub: z.string(),
  org: z.string(),
  scopes: z.array(Scope),
  /** Unix seconds (RFC 7519 §4.1.4). */
  exp: z.number(),
});
export type Claims = z.infer<typeof Claims>;

/** @returns a JWT signed with HS256 (RFC 7519). */
export function signJwt(claims: Claims, key: string): string {
  const head = encode({ alg: "HS256", typ: "JWT" });
  const payload = encode(claims);
  return `${head}.${payload}.${signature(`${head}.${payload}`, key)}`;
}

/** @returns the claims of a JWT that this simulator signed, even if it has expired; undefined for anything else */
export function readJwt(token: string, key: string): Claims | undefined {
  const [head, payload, signed, ...rest] = token.split(".");
  if (head === undefined || payload === undefined || signed === undefined || rest.length > 0) return undefined;
  const expected = Buffer.from(signature(`${head}.${payload}`, key));
  const given = Buffer.from(signed);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
  return Claims.parse(claims);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signature(text: string, key: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
