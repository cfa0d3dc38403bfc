/** The examples that the pages of the reference quote. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../examples");

interface Quoted {
  /** Its path below examples/. */
  readonly file: string;
  /** The text of the manifest without the comments above it. */
  readonly yaml: string;
}

/** Returns the first manifest of a kind, preferably of the quickstart. @throws Error when there is none */
export function exampleOf(kind: string): Quoted {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".yaml"));
  const isOther = (name: string): number => (name.startsWith("quickstart") ? 0 : 1);
  const ordered = files.toSorted((left, right) => isOther(left) - isOther(right) || (left < right ? -1 : 1));
  for (const file of ordered) {
    const documents = readFileSync(join(FOLDER, file), "utf8").split(/^---\n/m);
    const found = documents.find((text) => new RegExp(`^kind: ${kind}$`, "m").test(text));
    if (found !== undefined) return { file, yaml: found.slice(found.search(/^[^#\s]/m)).trimEnd() };
  }
  throw new Error(`no file in examples/ has a ${kind}`);
}
