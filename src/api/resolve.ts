/**
 * The annotation `resolve`: a user's answer to a question that the operator must not decide. A value names the question
 * that it answers, so a value that stays on the object, e.g. from Git, answers no later question. The operator removes
 * no such annotation.
 */
import { RESOLVE } from "./names.ts";
import type { Annotated } from "./paused.ts";

/**
 * A value: create again what `recreate:<attempt>` names, do what was held at the time of `proceed:<time>`, take over
 * the records of the installation of `adopt:<uid>`.
 */
export type UserAnswer = `${"recreate" | "proceed" | "adopt"}:${string}`;

/** Reports whether the user gave this answer. */
export function isAnswered({ metadata }: Annotated, answer: UserAnswer): boolean {
  return metadata.annotations?.[RESOLVE] === answer;
}

/** Returns the command that gives an answer. */
export function answerCommand(
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  answer: UserAnswer,
): string {
  const where = namespace === "" ? "" : ` -n ${namespace}`;
  // An attempt or installation that somebody wrote into an annotation may be any text.
  const value = /^[\w:.-]+$/.test(answer) ? answer : `'${answer.replaceAll("'", "'\\''")}'`;
  return `kubectl annotate --overwrite ${kind.toLowerCase()}/${name}${where} ${RESOLVE}=${value}`;
}

const PRINTED = new RegExp(`${RESOLVE.replaceAll(".", "\\.")}=([\\w:.-]+)`, "g");

/** Returns the answers whose commands a message has. */
export function answersIn(message: string): readonly string[] {
  return [...message.matchAll(PRINTED)].flatMap(([, answer]) => answer ?? []);
}
