/** Parses the names of objects on the command line, as kubectl does. Pure. */
import { GROUP } from "../../../api/names.ts";
import { shortNameOf } from "../../../console/tree/words.ts";
import { RESOURCES } from "../../../kinds/index.ts";
import { UsageError } from "../../base/exit.ts";
import { kindOf, type Name } from "../../base/targets.ts";

/** The argument that names one object. */
export const TARGET = { name: "object", about: "kind and name, e.g. papp/api" } as const;

/** The argument that names several. */
export const TARGETS = {
  name: "object",
  about: "kind and name, e.g. papp/api; several may follow",
  many: true,
} as const;

/** @param word a kind in any spelling, see kindOf @throws UsageError for an unknown kind */
export function kindNamed(word: string): string {
  const kind = kindOf(word);
  if (kind !== undefined) return kind;
  const known = RESOURCES.map((resource) => shortNameOf(resource.kind)).join(", ");
  throw new UsageError(`${JSON.stringify(word)} is no kind of ${GROUP}. Kinds by their short names: ${known}.`);
}

/** @param text "kind/name" @throws UsageError for anything else */
export function parseTarget(text: string): Name {
  const [word = "", name = "", ...rest] = text.split("/");
  if (word === "" || name === "" || rest.length > 0) {
    throw new UsageError(`${JSON.stringify(text)} names no object: give kind and name, e.g. papp/api.`);
  }
  return { kind: kindNamed(word), name };
}

/** @param words "papp/api pdbase/db", or as kubectl has it "papp api web" @throws UsageError */
export function parseTargets(words: readonly string[]): readonly Name[] {
  const [kind = "", ...names] = words;
  return (kind.includes("/") || names.length === 0 ? words : names.map((name) => `${kind}/${name}`)).map(parseTarget);
}

/** @returns the object as `kubectl -o name` prints it, e.g. "platformproject.platform-operator.io/web" */
export function fullName({ kind, name }: Name): string {
  return `${kind.toLowerCase()}.${GROUP}/${name}`;
}

/** @returns the object as users type it, e.g. "papp/api" */
export function shortTarget({ kind, name }: Name): string {
  return `${shortNameOf(kind)}/${name}`;
}
