/** What to type to learn more about an object. Pure. */
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

/** A word as a shell takes it. Kubernetes takes no other names than those that need no quotes. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
