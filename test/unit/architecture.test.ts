import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { describe, expect, it } from "vitest";

import { forTests, homes, layers, maxLines, maxTestLines } from "./layers.ts";

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const importPattern = /(?:^import\s+|^(?:import|export)\b[^;'"=]*?\bfrom\s*|\bimport\(\s*)["']([^"']+)["']/gm;

const root = join(import.meta.dirname, "../..");

interface Source {
  /** Relative to src/, without the ending: "kinds/project". */
  readonly module: string;
  readonly layer: string;
  readonly isTest: boolean;
  readonly lines: number;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => read(file, readFileSync(join(root, "src", file), "utf8")));

describe("the house (test/unit/layers.ts)", () => {
  it("imports only what its layer may, type imports included", () => {
    expect(sources.flatMap(forbiddenImports)).toEqual([]);
  });

  it(`keeps files within ${maxLines} lines, kinds within ${layers["kinds"]?.maxLines}`, () => {
    expect(sources.flatMap(tooLong)).toEqual([]);
  });

  it("reads the environment in src/app/config.ts alone", () => {
    const found = sources.filter(({ module, text }) => module !== "app/config" && /\bprocess\s*\.\s*env\b/.test(text));
    expect(found.map(({ module }) => `src/${module}.ts reads process.env; take it from Config`)).toEqual([]);
  });

  it("takes the time from a Clock wherever decisions are made", () => {
    const found = sources.filter(
      ({ layer, isTest, text }) =>
        !isTest && ["engine", "kinds", "resources"].includes(layer) && /new Date\(\s*\)|Date\.now\(/.test(text),
    );
    expect(
      found.map(({ module }) => `src/${module}.ts asks the machine for the time; take it from Pass or Clock`),
    ).toEqual([]);
  });

  it("knows every folder of src/", () => {
    expect(sources.filter(({ layer }) => !Object.hasOwn(layers, layer)).map(({ module }) => module)).toEqual([]);
  });
});

describe("these rules themselves", () => {
  const violations = [
    ["kinds/project.ts", `import type { KubeObject } from "../kube/types.ts";`, "kube/types"],
    ["kinds/project.ts", `import { reconcile } from "../engine/reconcile.ts";`, "engine/reconcile"],
    ["engine/reconcile.ts", `import { project } from "../kinds/project.ts";`, "kinds/project"],
    ["engine/reconcile.ts", `export type { Platform } from "../platform/index.ts";`, "platform/index"],
    ["platform/projects.ts", `import { request } from "undici";`, "undici"],
    [
      "kube/watch.ts",
      `import {\n  KubeConfig,\n} from "@kubernetes/client-node/dist/config.js";`,
      "@kubernetes/client-node",
    ],
    ["simulator/world.ts", `import { states } from "../platform/states.ts";`, "platform/states"],
    ["kube/watch.ts", `import "undici";`, "undici"],
    ["resources/project.ts", `const fs = await import("node:fs");`, "node:fs"],
    ["kinds/project.ts", `import { createHash } from "node:crypto";`, "node:crypto"],
    ["kinds/project.test.ts", `import { Reflector } from "../kube/reflector.ts";`, "kube/reflector"],
  ] as const;

  it.each(violations)("%s may not say %s", (file, text, named) => {
    expect(forbiddenImports(read(file, text))).toEqual([expect.stringContaining(`"${named}"`)]);
  });

  it("let through what the design allows", () => {
    const allowed = [
      read("platform/http.ts", `import { Agent } from "undici";`),
      read("kube/client.ts", `import { KubeConfig } from "@kubernetes/client-node";`),
      read("engine/verdict.ts", `import type { ApiFailure } from "../platform/errors.ts";`),
      read("engine/kind.ts", `import type { Resource } from "../resources/base/resource.ts";`),
      read("cli/simulate.ts", `const { listen } = await import("../simulator/server.ts");`),
      read("kinds/project.test.ts", `import fc from "fast-check";`),
    ];
    expect(allowed.flatMap(forbiddenImports)).toEqual([]);
  });
});

function read(file: string, text: string): Source {
  const module = file.replace(/\.ts$/, "").replaceAll("\\", "/");
  return {
    module,
    layer: module.split("/")[0] ?? "",
    isTest: file.endsWith(".test.ts"),
    lines: text.split("\n").length - 1,
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
  const path = relative(join(root, "src"), join(root, "src", dirname(file), specifier)).replaceAll("\\", "/");
  return path.replace(/^\.\.\//, "").replace(/\.ts$/, "");
}

function forbiddenImports({ module, layer, isTest, imports }: Source): string[] {
  const rule = layers[layer];
  const subject = module.replace(/\.test$/, "");
  const allowed = [layer, ...(rule?.mayImport ?? []), ...(rule?.except?.[subject] ?? []), ...(isTest ? forTests : [])];
  return imports
    .filter((name) => !allowed.some((entry) => covers(entry, name)) || !isAtHome(name, subject))
    .map((name) => `src/${module}.ts imports "${name}"; src/${layer}/ may import only ${allowed.join(", ")}`);
}

function covers(entry: string, name: string): boolean {
  return name === entry || name.startsWith(entry.endsWith(":") ? entry : `${entry}/`);
}

function isAtHome(name: string, module: string): boolean {
  return homes[name]?.includes(module) ?? true;
}

function tooLong({ module, layer, isTest, lines }: Source): string[] {
  const limit = isTest ? maxTestLines : (layers[layer]?.maxLines ?? maxLines);
  return lines > limit ? [`src/${module}.ts has ${lines} lines, ${limit} are allowed: does it hold two jobs?`] : [];
}
