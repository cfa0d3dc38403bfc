/**
 * What a resource wrote into an application: names, kinds and digests of values, never values. It owns what it wrote,
 * and nothing else (docs/project/architecture.md §8).
 */
import { z } from "zod";

import { atomicList, count, digestField, text } from "../../api/status.ts";
import { type Fingerprint, refreshed, sameContent } from "../../engine/contract/kind.ts";
import type { Wanted, WantedVariable } from "./declared.ts";

/** The largest number of variables of a resource in one application: those of the spec, and as many that left it. */
export const MAX_OWNED = 512;

const ownedVariable = z
  .object({
    key: z.string().max(255).describe("Name of the variable."),
    secret: z.literal(true).optional().describe("Present if it was written as a secret."),
    scope: text.optional().describe("Scope that it was written in, if the spec has one."),
    digest: text.optional().describe("Digest of the value that the platform took."),
    updatedAt: text
      .optional()
      .describe("The platform's time of the last change, for a value that the platform does not show."),
    sent: text.optional().describe("Digest of a value that was sent in a request whose answer is not recorded yet."),
    replaced: text.optional().describe("Digest of the value of others that the operator replaced last."),
    failed: z.literal(true).optional().describe("Present if it was sent and the platform did not take it."),
  })
  .describe("A variable.");

/** The schema of what a resource wrote into an application. */
export const owned = z
  .object({
    variables: atomicList(ownedVariable, MAX_OWNED, "Variables that were written."),
    written: digestField("all variables as last sent").optional(),
    writtenAt: text
      .optional()
      .describe("The platform's time of the last change; an application is deployed after it, if its policy says so."),
    sentAt: text.optional().describe("The platform's time of the last import that is not complete."),
    attempts: count.optional().describe("Number of imports of these variables of which the platform left some out."),
  })
  .describe("Variables that the operator wrote into the application, without their values.");

export type OwnedVariable = z.output<typeof ownedVariable>;
export type Owned = z.output<typeof owned>;

/** Returns what is known of a variable; undefined where the resource never sent it. */
export function ownedVariableOf({ variables = [] }: Owned, name: string): OwnedVariable | undefined {
  return variables.find(({ key }) => key === name);
}

/** Reports whether the platform took a variable as it is declared now: its value, kind and scope. */
export function isWritten(known: OwnedVariable | undefined, variable: WantedVariable): boolean {
  if (known?.digest !== variable.digest) return false;
  return (known.secret === true) === variable.isSecret && known.scope === variable.scope;
}

/** Returns what is remembered of a variable that the platform took. */
export function asOwned({ name, isSecret, scope, digest }: WantedVariable): OwnedVariable {
  return { key: name, ...(isSecret && { secret: true as const }), ...(scope !== undefined && { scope }), digest };
}

/** Returns the variables that the platform took, or may have taken, and that the resource does not declare any more. */
export function leftovers({ variables = [] }: Owned, wanted: readonly WantedVariable[]): readonly OwnedVariable[] {
  const names = new Set(wanted.map(({ name }) => name));
  return variables.filter(({ key, digest, sent }) => !names.has(key) && (digest !== undefined || sent !== undefined));
}

/**
 * Returns what was written, with digests of the current key of the installation. After the loss of the key, digests are
 * replaced where the sources say that the content is the same, and dropped otherwise.
 */
export function underKey(known: Owned | undefined, { variables, fingerprint }: Wanted): Owned {
  const { written } = known ?? {};
  if (known === undefined) return {};
  if (written === undefined || written.key === fingerprint.key) return known;
  const isSame = sameContent(written, fingerprint);
  const digests = new Map(variables.map(({ name, digest }) => [name, digest]));
  return {
    ...known,
    written: isSame ? refreshed(written, fingerprint) : undefined,
    variables: known.variables?.map(({ sent: _sent, replaced: _replaced, ...one }) => {
      const now = digests.get(one.key);
      // What left the spec is removed by its name.
      if (now === undefined || one.digest === undefined) return one;
      return { ...one, digest: isSame && one.failed !== true ? now : undefined };
    }),
  };
}

/** Returns what was written, with these variables in place of those of the same names. */
export function withVariables(known: Owned, changed: readonly OwnedVariable[]): Owned {
  const names = new Set(changed.map(({ key }) => key));
  const others = (known.variables ?? []).filter(({ key }) => !names.has(key));
  const all = [...others, ...changed].toSorted((left, right) => (left.key < right.key ? -1 : 1));
  return { ...known, variables: all.length === 0 ? undefined : all };
}

/** Returns what was written, without a variable. */
export function withoutVariable(known: Owned, name: string): Owned {
  const left = (known.variables ?? []).filter(({ key }) => key !== name);
  return { ...known, variables: left.length === 0 ? undefined : left };
}

/**
 * Returns the time of a change of an application. It is later than the last one: the platform's clock shows whole
 * seconds.
 * @param now the platform's clock
 * @param last the time of the last change by any resource (ISO 8601)
 */
export function timeOfChange(now: Date, last: string | undefined): string {
  const after = Date.parse(last ?? "") + 1;
  return new Date(Number.isNaN(after) ? now : Math.max(now.getTime(), after)).toISOString();
}

/** Returns the fingerprint to remember once all variables are written. */
export function fingerprintOfWhole(known: Fingerprint | undefined, now: Fingerprint): Fingerprint {
  return known !== undefined && sameContent(known, now) ? known : { ...now };
}
