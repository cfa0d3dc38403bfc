import type { Ids } from "../base/ids.ts";
import type { Need, OperationId } from "../base/operations.ts";
import { Problem } from "../base/problems.ts";
import type { Time } from "../base/time.ts";
import { readJwt, signJwt, type Scope } from "./jwt.ts";

/** The permissions of each scope. Every scope may read. */
const grants: Readonly<Record<Scope, readonly Need[]>> = {
  Admin: ["read", "write", "deploy"],
  Read: ["read"],
  Deploy: ["read", "deploy"],
  Write: ["read", "write"],
};

/** Operations that take the API-token scheme only. */
const apiTokenOnly: ReadonlySet<string> = new Set<OperationId>(["listGithubRepositories"]);

/** An API token, as the platform's console creates it. */
export interface ApiToken {
  readonly name: string;
  readonly value: string;
  readonly organizationId: string;
  scopes: readonly Scope[];
  /** Wall-clock time after which it is refused; null for never. */
  expiresAt: Date | null;
}

/** The caller. */
export interface Principal {
  readonly name: string;
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
}

/** The platform's tokens. */
export interface Auth {
  createToken(token: { name: string; organizationId: string; scopes: readonly Scope[]; value?: string }): ApiToken;
  /** @returns whether there was a token of that name */
  revoke(name: string): boolean;
  token(name: string): ApiToken | undefined;
  tokens(): readonly ApiToken[];
  /** @returns a JWT of a signed-in person that expires `seconds` from now (in the past when negative). */
  issueJwt(person: { subject: string; organizationId: string; scopes: readonly Scope[] }, seconds: number): string;
  /**
   * @param header the Authorization header. API tokens go under `Token` and `Bearer`, JWTs under `Bearer`.
   * @throws Problem 401
   */
  identify(header: string | undefined, operation: string | undefined): Principal;
}

/** @returns a store without any token. */
export function createAuth(ids: Ids, time: Time): Auth {
  const tokens = new Map<string, ApiToken>();
  const key = ids.hex(32);

  const byValue = (value: string): ApiToken | undefined => [...tokens.values()].find((token) => token.value === value);

  return {
    createToken({ name, organizationId, scopes, value }) {
      const token: ApiToken = {
        name,
        value: value ?? `sim_${ids.hex(20)}`,
        organizationId,
        scopes,
        expiresAt: null,
      };
      tokens.set(name, token);
      return token;
    },
    revoke: (name) => tokens.delete(name),
    token: (name) => tokens.get(name),
    tokens: () => [...tokens.values()],
    issueJwt({ subject, organizationId, scopes }, seconds) {
      const exp = Math.floor(time.wall().getTime() / 1000) + seconds;
      return signJwt({ sub: subject, org: organizationId, scopes: [...scopes], exp }, key);
    },
    identify(header, operation) {
      const [, scheme, value] = /^(Token|Bearer) +(\S+)$/i.exec(header ?? "") ?? [];
      if (scheme === undefined || value === undefined) throw unauthorized("Access token is missing or malformed");
      const bearer = scheme.toLowerCase() === "bearer";
      if (bearer && operation !== undefined && apiTokenOnly.has(operation)) {
        throw unauthorized("This operation takes an API token under the Token scheme");
      }
      const token = byValue(value);
      const now = time.wall();
      if (token !== undefined) {
        checkExpiry(token.expiresAt, now);
        return token;
      }
      const claims = bearer ? readJwt(value, key) : undefined;
      if (claims === undefined) throw unauthorized("Access token is invalid");
      checkExpiry(new Date(claims.exp * 1000), now);
      return { name: claims.sub, organizationId: claims.org, scopes: claims.scopes };
    },
  };
}

/** @throws Problem 403 unless one of the principal's scopes grants each need. */
export function requireScope(principal: Principal, ...needs: readonly Need[]): void {
  for (const need of needs) {
    if (principal.scopes.some((scope) => grants[scope].includes(need))) continue;
    throw new Problem(403, `The token lacks the permission to ${need}`);
  }
}

function checkExpiry(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt <= now) throw unauthorized("Access token has expired");
}

function unauthorized(message: string): Problem {
  return new Problem(401, message);
}
