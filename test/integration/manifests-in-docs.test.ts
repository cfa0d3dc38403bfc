import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { afterAll, describe, expect, inject, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { RESOURCES } from "../../src/kinds/index.ts";
import { kubectl } from "../control-plane/access.ts";
import { renderPreview } from "../support/examples/preview-guide.ts";

const cluster = inject("controlPlane");
const root = join(import.meta.dirname, "../..");

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().optional(), namespace: z.string().optional() }),
});

/** Groups whose CRDs are not ours to have in the control plane. */
const FOREIGN = /^(argoproj\.io|[a-z.]+\.toolkit\.fluxcd\.io)\//;

interface Block {
  readonly where: string;
  readonly text: string;
}

function filesIn(folder: string, ending: string): readonly string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(ending)).map((name) => join(root, folder, name));
}

/** The fenced YAML of a page, and the here-documents that its shell commands apply. */
function blocksOf(path: string): readonly Block[] {
  // The notes of a release are a template of helm.
  const text = readFileSync(path, "utf8").replaceAll("{{ $namespace }}", "shop");
  const fenced = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)];
  const here = [...text.matchAll(/<<'YAML'\n(.*?)^YAML$/gms)];
  return [...fenced, ...here].map(([, block = ""], index) => ({
    where: `${relative(root, path)} #${String(index + 1)}`,
    text: block,
  }));
}

const notes = blocksOf(join(root, "helm-chart/templates/NOTES.txt"));
const pages = [join(root, "README.md"), ...filesIn("docs", ".md")].flatMap(blocksOf);
const examples = filesIn("examples", ".yaml").map((path) => ({
  where: relative(root, path),
  text: readFileSync(path, "utf8"),
}));
const preview = renderPreview({ number: "42", branch: "feature/cart", commit: "0123456789abcdef" });
const rendered = preview.map((manifest) => ({
  where: `docs/guides/previews.md, ${manifest.kind}`,
  text: JSON.stringify(manifest),
}));
const blocks = [...pages, ...notes, ...examples, ...rendered];

const manifestsOf = ({ text }: Block): readonly z.infer<typeof Manifest>[] =>
  parseAllDocuments(text).flatMap((document) => {
    expect(document.errors).toEqual([]);
    const content: unknown = document.toJS();
    return content === null ? [] : [Manifest.parse(content)];
  });

const LABELS = { "made-by": "manifests-in-docs" };

/** In a namespace of the block alone: pages use the same names for different things. */
function moved(manifest: z.infer<typeof Manifest>, namespace: string): z.infer<typeof Manifest> {
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, ...(metadata.namespace && { namespace }), labels: LABELS } };
}

describe("every YAML in the documentation", () => {
  afterAll(async () => {
    const kinds = RESOURCES.filter(({ scope }) => scope === "Namespaced").map(({ plural }) => plural);
    await kubectl(cluster, ["delete", kinds.join(","), "-A", "-l", "made-by=manifests-in-docs"]);
  });

  it("is there to be tried", () => {
    expect(pages.length).toBeGreaterThan(10);
    expect(notes).toHaveLength(1);
    expect(examples.length).toBeGreaterThan(10);
  });

  it.each(blocks.map((block, index) => ({ ...block, namespace: `docs-${String(index)}` })))(
    "$where is taken by the API server",
    async ({ namespace, ...block }) => {
      const manifests = manifestsOf(block).filter(({ apiVersion }) => !FOREIGN.test(apiVersion));
      await kubectl(cluster, ["create", "namespace", namespace]).catch(alreadyThere);
      const answers: string[] = [];
      for (const manifest of manifests) {
        const isEverybodys = manifest.metadata.namespace === undefined;
        const flags = ["--validate=strict", "--warnings-as-errors", ...(isEverybodys ? ["--dry-run=server"] : [])];
        const input = JSON.stringify(moved(manifest, namespace));
        answers.push(await kubectl(cluster, ["create", ...flags, "-f", "-"], { input }).catch(alreadyThere));
      }
      expect(answers.filter((answer) => !/ created/.test(answer))).toEqual([]);
    },
  );
});

/** A retry finds what it made before, and a namespace of the documentation may be another test's: it was taken then. */
function alreadyThere(error: unknown): string {
  if (!String(error).includes("AlreadyExists")) throw error;
  return "was created before";
}
