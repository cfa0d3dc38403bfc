/** The kubectl commands that show more about an object. Pure. */
import type { Row } from "../shape.ts";

/** @returns commands for a shell. */
export function commandsFor({ short, namespace, name }: Pick<Row, "short" | "namespace" | "name">): readonly string[] {
  const place = namespace === "" ? "" : ` -n ${quoted(namespace)}`;
  return [
    `kubectl describe ${short} ${quoted(name)}${place}`,
    `kubectl platform status ${short}/${quoted(name)}${place}`,
    ...(short === "papp" ? [`kubectl platform logs ${quoted(name)}${place}`] : []),
  ];
}

/** Quotes a word for a shell if necessary; valid names of Kubernetes never need it. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
