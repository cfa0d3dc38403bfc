import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

/** A block of shell commands with its page, e.g. `docs/guides/move.md: kubectl delete …`. */
export interface Block {
  readonly id: string;
  readonly text: string;
}

export function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** @returns the fenced blocks of a language in a text, in order; also those in a quote or a list */
export function fencedIn(text: string, language: "sh" | "yaml"): readonly string[] {
  const fences = text.matchAll(new RegExp(`^([ >]*)\`\`\`${language}\n(.*?)^\\1\`\`\`$`, "gms"));
  return [...fences].map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

/** @returns the blocks of shell commands of README and of every guide, in the order of docs/README.md */
export function shellBlocks(): readonly Block[] {
  const guides = [...textOf("docs/README.md").matchAll(/\]\((guides\/[\w-]+\.md)\)/g)].map(
    ([, path]) => `docs/${path}`,
  );
  return ["README.md", ...new Set(guides)].flatMap((page) =>
    fencedIn(textOf(page), "sh").map((text) => ({ id: `${page}: ${text}`, text })),
  );
}
