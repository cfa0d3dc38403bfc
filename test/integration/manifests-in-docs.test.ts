import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { expect, inject, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { stringMember } from "../../src/kube/api/json.ts";
import { kubectl } from "../control-plane/access.ts";
import { renderPreview } from "../support/examples/preview-guide.ts";

const cluster = inject("controlPlane");
const root = join(import.meta.dirname, "../..");
const namespace = "manifests-in-docs";

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

/** The manifests of a block, all in the namespace of this file. */
function manifestsOf({ where, text }: Block) {
  const documents = parseAllDocuments(text);
  expect(
    documents.flatMap(({ errors }) => errors),
    where,
  ).toEqual([]);
  const contents: readonly unknown[] = documents.map((document) => document.toJS() as unknown);
  return contents.flatMap((content) => {
    if (content === null) return [];
    const { metadata, ...manifest } = Manifest.parse(content);
    return { where, manifest: { ...manifest, metadata: { ...metadata, ...(metadata.namespace && { namespace }) } } };
  });
}

it("every YAML in the documentation is taken by the API server, strictly and without a warning", async () => {
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
  expect([pages.length > 10, notes.length, examples.length > 10]).toEqual([true, 1, true]);

  const all = [...pages, ...notes, ...examples, ...rendered].flatMap(manifestsOf);
  const ours = all.filter(({ manifest }) => !FOREIGN.test(manifest.apiVersion));
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
