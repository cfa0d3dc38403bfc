import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { fakeIo } from "../../../../test/support/programs/cli.ts";
import { readManifests } from "./manifests.ts";

const io = (stdin = "") => fakeIo({ stdin }).io;

const object = (name: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\n`;

describe("the manifests of a plan", () => {
  it("come from standard input, which may contain several documents and lists", async () => {
    const items = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "shop" } }];
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const text = `# a comment\n---\n${object("a")}---\n---\n${object("b")}---\n${list}\n`;
    const found = await readManifests(io(text), ["-"], false);
    expect(found.map(({ kind, name, namespace }) => [kind, name, namespace])).toEqual([
      ["Secret", "a", undefined],
      ["Secret", "b", undefined],
      ["ConfigMap", "c", "shop"],
    ]);
  });

  it("come from a directory in the order of the file names, and from subdirectories with --recursive", async () => {
    const directory = await mkdtemp(join(tmpdir(), "manifests-"));
    await mkdir(join(directory, "deep"));
    await writeFile(join(directory, "b.yaml"), object("b"));
    await writeFile(join(directory, "a.yml"), object("a"));
    await writeFile(join(directory, "notes.txt"), "no YAML: [");
    await writeFile(join(directory, "deep", "c.json"), '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"c"}}');
    const names = async (recursive: boolean): Promise<readonly string[]> =>
      (await readManifests(io(), [directory], recursive)).map(({ name }) => name);
    expect(await names(false)).toEqual(["a", "b"]);
    expect(await names(true)).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["an empty text", "", /^standard input contains no object\.$/],
    ["invalid YAML", "[", /^standard input is not valid YAML: /],
    ["a list of texts", "- a\n- b\n", /^standard input contains a document that is not a Kubernetes object/],
    ["an object without a name", "apiVersion: v1\nkind: Secret\n", /metadata\.name is missing/],
  ])("are rejected where standard input contains %s", async (_, text, words) => {
    await expect(readManifests(io(text), ["-"], false)).rejects.toThrow(words);
  });
});
