import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Manifest } from "../env/cluster.ts";
import { manifestsIn } from "../env/manifests.ts";

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

const PREVIEWS = "docs/guides/previews.md";

export function previewChart(): ReadonlyMap<string, string> {
  const files = textOf(PREVIEWS).matchAll(/^`preview\/([^`]+)`\n\n```helm\n(.*?)^```$/gms);
  return new Map([...files].map(([, path = "", content = ""]) => [path, content]));
}

/** Renders the templates with the chart's values, without helm: it supports only the syntax that they use. */
export function renderPreview(values: Readonly<Record<string, string>>): readonly Manifest[] {
  const templates = [...previewChart()].filter(([path]) => path.startsWith("templates/"));
  return templates.flatMap(([, content]) => {
    const filled = content.replaceAll(/\{\{ \.Values\.(\w+)( \| quote)? \}\}/g, (_, name: string, quoted?: string) => {
      const value = values[name] ?? "";
      return quoted === undefined ? value : JSON.stringify(value);
    });
    if (filled.includes("{{")) throw new Error(`the guide's template says more than a test can fill in: ${filled}`);
    return manifestsIn(filled);
  });
}

/** The YAML of docs/guides/previews.md outside of the templates: what the previews share, and the ApplicationSet. */
export function guideManifests(): readonly Manifest[] {
  return fencedIn(textOf(PREVIEWS), "yaml").flatMap(manifestsIn);
}
