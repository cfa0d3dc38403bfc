import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

export function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** @returns the fenced blocks of a language in a text, in order; also those in a quote or a list */
export function fencedIn(text: string, language: "sh" | "yaml"): readonly string[] {
  const fences = text.matchAll(new RegExp(`^([ >]*)\`\`\`${language}\n(.*?)^\\1\`\`\`$`, "gms"));
  return [...fences].map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

/**
 * Returns the blocks of shell commands of README and of every guide, in the order of docs/README.md. An id begins with
 * the page, e.g. `docs/guides/move.md: kubectl delete …`.
 */
export function shellBlocks(): readonly { readonly id: string; readonly text: string }[] {
  const guides = [...textOf("docs/README.md").matchAll(/\]\((guides\/[\w-]+\.md)\)/g)].map(
    ([, path]) => `docs/${path}`,
  );
  return ["README.md", ...new Set(guides)].flatMap((page) =>
    fencedIn(textOf(page), "sh").map((text) => ({ id: `${page}: ${text}`, text })),
  );
}

/** @returns the files of the chart in docs/guides/previews.md */
export function previewChart(): ReadonlyMap<string, string> {
  const files = textOf("docs/guides/previews.md").matchAll(/^`preview\/([^`]+)`\n\n```helm\n(.*?)^```$/gms);
  return new Map([...files].map(([, path = "", content = ""]) => [path, content]));
}
