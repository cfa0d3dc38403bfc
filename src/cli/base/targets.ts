/** The names of objects on the command line: `papp/api`, `PlatformApplication/api`, `api`, or an id of the platform. */
import { GROUP } from "../../api/names.ts";
import { shortNameOf } from "../../console/tree/hierarchy.ts";
import { conditionView } from "../../console/tree/summary.ts";
import { RESOURCES } from "../../kinds/index.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { CliError, UsageError } from "./exit.ts";

/** The name of a custom resource. */
export interface Name {
  readonly kind: string;
  readonly name: string;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * Parses `kind/name`, with the kind in any spelling that kubectl accepts, or a bare name.
 * @param kinds the allowed kinds; a bare name is of the first kind
 * @param alternatives other allowed forms, for the message
 * @throws UsageError
 */
export function nameOf(text: string, kinds: readonly string[], alternatives: readonly string[] = []): Name {
  const [first, second, ...rest] = text.split("/");
  const name = second ?? first ?? "";
  const kind = second === undefined ? kinds[0] : kindOf(first ?? "");
  if (!NAME.test(name) || rest.length > 0) throw new UsageError(`${JSON.stringify(text)} is not a valid name.`);
  if (kind !== undefined && kinds.includes(kind)) return { kind, name };
  const known = [...alternatives, ...kinds.map((each) => `${shortNameOf(each)}/${name}`)].join(" or ");
  throw new UsageError(`${JSON.stringify(text)} is not allowed here. Use ${known}.`);
}

/** @returns the kind that a word names: kind, plural or short name, in any case, with or without group */
export function kindOf(word: string): string | undefined {
  const [bare = ""] = word.toLowerCase().split(".");
  const found = RESOURCES.find(({ kind, plural, shortNames }) =>
    [kind.toLowerCase(), plural, ...shortNames].includes(bare),
  );
  return found?.kind;
}

/** @param word a kind in any spelling, see kindOf @returns the kind @throws UsageError for an unknown kind */
export function kindNamed(word: string): string {
  const kind = kindOf(word);
  if (kind !== undefined) return kind;
  const known = RESOURCES.map((resource) => shortNameOf(resource.kind)).join(", ");
  throw new UsageError(`${JSON.stringify(word)} is not a kind of ${GROUP}. The kinds by their short names: ${known}.`);
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

/** @returns the id of the object on the platform @throws CliError when it has none yet */
export function externalIdOf(object: KubeObject): string {
  const id = stringMember(object.status, "externalId");
  if (id !== undefined && isUuidOfAnyCase(id)) return id;
  const { kind, metadata } = object;
  const because = conditionView(object, "Ready")?.message ?? "The operator has not seen it yet.";
  throw new CliError(`${kind} "${metadata.name}" is not on the platform yet. ${because}`);
}

/** The length of a DNS-1123 label. */
const MAX_LABEL = 63;

/**
 * @param reserved the number of characters to leave for a suffix
 * @returns the text as a DNS-1123 label; empty when no character of it is allowed
 */
export function dnsLabel(text: string, reserved = 0): string {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const label = plain.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-+/, "");
  return label.slice(0, MAX_LABEL - reserved).replace(/-+$/, "");
}
