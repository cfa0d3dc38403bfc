/** The manifests of docs/guides/previews.md. */
import type { Manifest } from "../env/cluster.ts";
import { manifestsIn } from "../env/manifests.ts";
import { fencedIn, textOf } from "./pages.ts";

const GUIDE = "docs/guides/previews.md";

export function previewChart(): ReadonlyMap<string, string> {
  const files = textOf(GUIDE).matchAll(/^`preview\/([^`]+)`\n\n```helm\n(.*?)^```$/gms);
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

/** The guide's YAML outside of the templates: what the previews share, and the ApplicationSet. */
export function guideManifests(): readonly Manifest[] {
  return fencedIn(textOf(GUIDE), "yaml").flatMap(manifestsIn);
}
