import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, inject, it } from "vitest";

import { stringMember } from "../../src/kube/api/json.ts";
import { kubectl } from "../control-plane/access.ts";
import { manifestsIn } from "../support/env/manifests.ts";
import { examples } from "../support/examples/examples.ts";
import { fencedIn, previewChart } from "../support/examples/pages.ts";

const cluster = inject("controlPlane");
const root = join(import.meta.dirname, "../..");
const namespace = "manifests-in-docs";

/** Groups whose CRDs are not ours to have in the control plane. */
const FOREIGN = /^(argoproj\.io|[a-z.]+\.toolkit\.fluxcd\.io)\//;

/** The manifests in the fenced YAML of a page, and in the here-documents that its shell commands apply. */
function manifestsOf(where: string) {
  // The notes of a release are a template of helm.
  const text = readFileSync(join(root, where), "utf8").replaceAll("{{ $namespace }}", "shop");
  const here = [...text.matchAll(/<<'YAML'\n(.*?)^YAML$/gms)].map(([, block = ""]) => block);
  const manifests = [...fencedIn(text, "yaml"), ...here].flatMap(manifestsIn);
  return manifests.map((manifest) => ({ where, manifest }));
}

/** Renders the templates with the chart's values, without helm: it supports only the syntax that they use. */
function renderPreview(values: Readonly<Record<string, string>>) {
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

it("every manifest in the documentation is accepted by the API server, with strict validation and without a warning", async () => {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const guides = docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  const notes = manifestsOf("helm-chart/templates/NOTES.txt");
  const pages = ["README.md", ...guides].flatMap(manifestsOf);
  const files = examples().flatMap(({ file, manifests }) =>
    manifests.map((manifest) => ({ where: `examples/${file}`, manifest })),
  );
  const preview = renderPreview({ number: "42", branch: "feature/cart", commit: "0123456789abcdef" });
  const rendered = preview.map((manifest) => ({ where: "docs/guides/previews.md", manifest }));
  expect(pages.length).toBeGreaterThan(10);
  expect(notes.length).toBeGreaterThan(0);
  expect(files.length).toBeGreaterThan(10);

  // All in one namespace.
  const ours = [...pages, ...notes, ...files, ...rendered]
    .filter(({ manifest }) => !FOREIGN.test(stringMember(manifest, "apiVersion") ?? ""))
    .map(({ where, manifest: { metadata, ...manifest } }) => ({
      where,
      manifest: { ...manifest, metadata: { ...metadata, ...(metadata["namespace"] !== undefined && { namespace }) } },
    }));
  await kubectl(cluster, ["create", "namespace", namespace]);
  // One kubectl for all: it continues after an error. A dry run, as pages use the same names for different things.
  const create = ["create", "--dry-run=server", "--validate=strict", "--warnings-as-errors", "-f", "-"];
  const input = ours.map(({ manifest }) => JSON.stringify(manifest)).join("\n---\n");
  const answer = await kubectl(cluster, create, { input }).catch(
    (error: unknown) => `${stringMember(error, "stdout") ?? ""}${stringMember(error, "stderr") ?? ""}`,
  );
  // What is in no namespace may be another test's: it was taken then.
  const complaints = answer.split("\n").filter((line) => /^(error|warning)/i.test(line) && !/AlreadyExists/.test(line));
  const pagesOf = (line: string) => ours.filter(({ manifest }) => line.includes(`"${manifest.metadata.name}"`));
  expect(complaints.map((line) => [line, pagesOf(line).map(({ where }) => where)])).toEqual([]);
  const exist = answer.match(/AlreadyExists/g) ?? [];
  expect((answer.match(/ created/g) ?? []).length + exist.length).toBe(ours.length);
});
