import { basename, dirname, join, relative } from "node:path";

import { describe, expect, it } from "vitest";

import { hopsIn } from "./hops.ts";
import { forTests, layers, sharedNames } from "./layers.ts";
import { filesIn, root, textOf } from "./repository.ts";

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const importPattern = /(?:^import\s+|^(?:import|export)\b[^;'"=]*?\bfrom\s*|\bimport\(\s*)["']([^"']+)["']/gm;

interface Source {
  /** Relative to src/, without the ending: "kinds/project". */
  readonly module: string;
  readonly layer: string;
  readonly isTest: boolean;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = ["src", "simulator"]
  .flatMap((folder) => filesIn(folder, ".ts"))
  .map((file) => read(file.replace(/^src\//, ""), textOf(file)));
const modules = new Set(sources.map(({ module }) => module));
const listedFolders = [...textOf("src/README.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, folder = ""]) => folder);
const folderOf = (module: string): string => dirname(module);
/** The row of a folder in that list: its own, else the one for all kinds. */
function rowOf(folder: string): string {
  return listedFolders.includes(folder) ? folder : `${dirname(folder)}/<kind>`;
}

describe("the house (test/unit/layers.ts)", () => {
  it("imports only what its layer may, type imports included", () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  it("takes the time from a Clock or ReconcileContext wherever decisions are made", () => {
    const found = sources.filter(
      ({ layer, isTest, text }) =>
        !isTest && ["engine", "kinds", "api"].includes(layer) && /new Date\(\s*\)|Date\.now\(/.test(text),
    );
    expect(found.map(({ module }) => module)).toEqual([]);
  });

  it("gives an exported name one meaning, which in the folders of the kinds is its role in a file of one name", () => {
    const product = sources.filter(({ isTest, module }) => !isTest && !module.startsWith("simulator/"));
    const definitions = product.flatMap(({ module, text }) => exportsOf(text).map((name) => ({ name, module })));
    const shared = [...Map.groupBy(definitions, ({ name }) => name)]
      .map(([name, all]) => ({ name, modules: all.map(({ module }) => module) }))
      .filter(({ modules }) => new Set(modules.map(meaningIn)).size > 1);
    const unlisted = shared.filter(({ name }) => !Object.hasOwn(sharedNames, name));
    expect(unlisted.map(({ name, modules }) => `${name}: ${modules.join(", ")}`)).toEqual([]);
    expect(Object.keys(sharedNames)).toEqual(shared.map(({ name }) => name).toSorted());
  });

  it("lists each folder in src/README.md", () => {
    const folders = new Set(sources.map(({ module }) => folderOf(module)));
    folders.delete(".");
    expect(listedFolders.toSorted()).toEqual([...new Set([...folders].map(rowOf))].toSorted());
  });

  it("imports downwards in the list of folders of src/README.md, so that folders form no circle", () => {
    expect(sources.filter(({ isTest }) => !isTest).flatMap(upwardImports)).toEqual([]);
  });

  it("has no circle of files, with types and lazy imports", () => {
    const circles = circlesOf(sources.filter(({ isTest }) => !isTest));
    expect(circles.map((circle) => [...new Set(circle.map(folderOf))].join(", "))).toEqual([]);
  });

  // Whether they run, and whether others do: test/integration/hops.test.ts.
  it("has all files that docs/project/architecture.md names in its tables of hops, and they are parts of the operator", () => {
    const importsOf = importsIn(sources.filter(({ isTest }) => !isTest));
    const parts = reachableFrom("operator/operator", importsOf);
    const named = Object.values(hopsIn()).flat();
    expect(named.filter((file) => !parts.has(file.replace(/\.ts$/, "")))).toEqual([]);
  });

  /** The members of an interface of the seam. */
  function membersOf(file: string, name: string, member: RegExp): readonly (string | undefined)[] {
    const seam = textOf(`src/engine/contract/${file}`);
    const [, body = ""] = new RegExp(`^export interface ${name}<[^{]*\\{\\n(.*?)^\\}`, "ms").exec(seam) ?? [];
    return [...body.matchAll(member)].map(([, one]) => one);
  }

  it("asks eight members of every kind", () => {
    const required = membersOf("kind.ts", "Kind", /^ {2}(?:readonly )?(\w+)[:(]/gm);
    expect(required).toEqual(["resource", "needs", "observe", "plan", "act", "trace", "report", "claim"]);
  });

  it("shows a kind at most twelve members of a reconcile", () => {
    const members = membersOf("kind.ts", "ReconcileContext", /^ {2}readonly (\w+)\??:/gm);
    expect(members).toContain("memory");
    expect(members.length).toBeLessThanOrEqual(12);
  });
});

describe("what the code cites", () => {
  /** All code, its wrapped comments on one line. */
  const commented = ["src", "simulator", "test", "scripts", "bench"].flatMap((folder) =>
    filesIn(folder, ".ts").map((file) => ({ file, text: textOf(file).replaceAll(/\n\s*(?:\*|\/\/)\s/g, " ") })),
  );
  const headings = (page: string): readonly string[] =>
    [...textOf(page).matchAll(/^(?:## (\d+)\.|\| ([A-Z]\d+) \|)/gm)].map(([, section, row]) =>
      section === undefined ? (row ?? "") : `§${section}`,
    );

  it.each(["docs/project/architecture.md", "docs/project/reliability.md"])(
    "are sections or rows that %s has",
    (page) => {
      const known = headings(page);
      const cited = new RegExp(`${page.replace(".", "\\.")},? ((?:(?:§|[A-Z])\\d+(?:, )?)+)`, "g");
      const wrong = commented.flatMap(({ file, text }) =>
        [...text.matchAll(cited)]
          .flatMap(([, names = ""]) => names.split(", "))
          .filter((name) => name !== "" && !known.includes(name))
          .map((name) => `${file} cites ${page} ${name}`),
      );
      expect(known.length).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    },
  );

  it("is in this repository", () => {
    const papers = /design §|(?:reliability|performance|experience)[ -]bar\b|api-behavior|operator-conventions/;
    const citing = commented.filter(({ file, text }) => file !== "test/unit/architecture.test.ts" && papers.test(text));
    expect(citing.map(({ file }) => file)).toEqual([]);
  });

  it("needs at most twelve words of its own", () => {
    const words = textOf("docs/project/glossary.md").match(/^\| [a-z ]+ \|/gm) ?? [];
    expect(words.length - 1).toBeLessThanOrEqual(12);
  });
});

describe("the rule for imports", () => {
  const violations = [
    ["kinds/project/plan.ts", `import type { KubeObject } from "../../kube/api/types.ts";`, "kube/api/types"],
    ["kinds/project/plan.ts", `import { pass } from "../../engine/reconcile/pass.ts";`, "engine/reconcile/pass"],
    ["engine/reconcile/reconcile.ts", `export type { Platform } from "../../platform/index.ts";`, "platform/index"],
    ["kube/watch.ts", `import {\n  A,\n} from "@kubernetes/client-node/dist/a.js";`, "@kubernetes/client-node"],
    ["simulator/model/world.ts", `import { states } from "../../src/platform/states.ts";`, "platform/states"],
    ["kube/watch.ts", `import "undici";`, "undici"],
    ["api/fields.ts", `const fs = await import("node:fs");`, "node:fs"],
    ["kinds/project/plan.ts", `import { createHash } from "node:crypto";`, "node:crypto"],
    ["kinds/project/plan.test.ts", `import { Reflector } from "../../kube/reflector.ts";`, "kube/reflector"],
  ] as const;

  it.each(violations)("of %s forbids %s", (file, text, named) => {
    expect(forbiddenImports(read(file, text))).toEqual([expect.stringContaining(`"${named}"`)]);
  });
});

function read(file: string, text: string): Source {
  const module = file.replace(/\.ts$/, "").replaceAll("\\", "/");
  return {
    module,
    layer: module.split("/")[0] ?? "",
    isTest: file.endsWith(".test.ts"),
    text,
    imports: [...text.matchAll(importPattern)].map((match) => resolve(file, match[1] ?? "")),
  };
}

/** "../kube/types.ts" seen from src/kinds/ is "kube/types", a package's inner file is the package. */
function resolve(file: string, specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  if (!specifier.startsWith(".")) {
    return specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
  }
  const path = relative(
    join(root, "src"),
    join(root, file.startsWith("simulator/") ? "." : "src", dirname(file), specifier),
  ).replaceAll("\\", "/");
  return path.replace(/^\.\.\//, "").replace(/\.ts$/, "");
}

function upwardImports({ module, imports }: Source): readonly string[] {
  const folder = folderOf(module);
  const position = (one: string): number => listedFolders.indexOf(rowOf(one));
  return imports
    .filter((name) => modules.has(name) && folderOf(name) !== folder && position(folderOf(name)) <= position(folder))
    .map((name) => `${module} imports ${name}, whose folder src/README.md lists above ${folderOf(module)}`);
}

type Imports = ReadonlyMap<string, readonly string[]>;

/** Returns what each file imports of the others. */
function importsIn(files: readonly Source[]): Imports {
  return new Map(files.map(({ module, imports }) => [module, imports.filter((name) => modules.has(name))]));
}

/** Returns the modules that a module imports, directly or through others. */
function reachableFrom(module: string, importsOf: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(importsOf.get(module) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(importsOf.get(next) ?? []));
  }
  return reached;
}

/** Returns the groups of modules that reach each other by imports. */
function circlesOf(files: readonly Source[]): readonly (readonly string[])[] {
  const importsOf = importsIn(files);
  const reached = new Map(files.map(({ module }) => [module, reachableFrom(module, importsOf)]));
  const inCircles = files.map(({ module }) => module).filter((module) => reached.get(module)?.has(module) === true);
  const circleOf = (module: string): readonly string[] =>
    inCircles.filter((other) => reached.get(module)?.has(other) === true && reached.get(other)?.has(module) === true);
  return [...new Map(inCircles.map((module) => [circleOf(module)[0], circleOf(module)])).values()];
}

function forbiddenImports({ module, layer, isTest, imports }: Source): string[] {
  const rule = layers[layer];
  const subject = module.replace(/\.test$/, "");
  const allowed = [layer, ...(rule?.mayImport ?? []), ...(rule?.except?.[subject] ?? []), ...(isTest ? forTests : [])];
  return imports
    .filter((name) => !allowed.some((entry) => covers(entry, name)))
    .map((name) => `src/${module}.ts imports "${name}"; src/${layer}/ may import only ${allowed.join(", ")}`);
}

function covers(entry: string, name: string): boolean {
  return name === entry || name.startsWith(entry.endsWith(":") ? entry : `${entry}/`);
}

/** The names that a file defines and exports; those that it passes on are defined elsewhere. */
function exportsOf(text: string): readonly string[] {
  const declaration = /^export (?:abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
  return [...new Set([...text.matchAll(declaration)].map(([, name = ""]) => name))];
}

/** A name of files of one basename in folders of kinds has one meaning, its role there: `plan` of each plan.ts. */
function meaningIn(module: string): string {
  return /^kinds\/(?!shared\/)[^/]+\//.test(module) ? `the role in ${basename(module)}.ts of a kind` : module;
}
