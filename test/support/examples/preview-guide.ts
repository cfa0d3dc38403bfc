/** The manifests of docs/guides/previews.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Manifest } from "../env/cluster.ts";
import { manifestsIn } from "../env/manifests.ts";

const GUIDE = join(import.meta.dirname, "../../../docs/guides/previews.md");

/** The values that the ApplicationSet passes to the chart. */
interface Preview {
  readonly number: string;
  readonly branch: string;
  readonly commit: string;
}

/** The chart's files by their paths below preview/. */
export function previewChart(): ReadonlyMap<string, string> {
  const text = readFileSync(GUIDE, "utf8");
  return new Map(
    [...text.matchAll(/^`preview\/([^`]+)`\n\n```helm\n(.*?)^```$/gms)].map(([, path = "", content = ""]) => [
      path,
      content,
    ]),
  );
}

/** Renders the templates with these values, without helm: it supports only the syntax that they use. */
export function renderPreview(values: Preview): readonly Manifest[] {
  const all = new Map<string, string>(Object.entries(values));
  const templates = [...previewChart()].filter(([path]) => path.startsWith("templates/"));
  return templates.flatMap(([, content]) => {
    const filled = content.replaceAll(
      /\{\{ \.Values\.(\w+)( \| quote)? \}\}/g,
      (_match, name: string, quoted?: string) => {
        const value = all.get(name) ?? "";
        return quoted === undefined ? value : JSON.stringify(value);
      },
    );
    if (filled.includes("{{")) throw new Error(`the guide's template says more than a test can fill in: ${filled}`);
    return manifestsIn(filled);
  });
}

/** The guide's YAML outside of the templates: what the previews share, and the ApplicationSet. */
export function guideManifests(): readonly Manifest[] {
  const text = readFileSync(GUIDE, "utf8");
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks.flatMap(manifestsIn);
}
