/** No field of any kind can name an object of another namespace (docs/reliability.md E9). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const crds = join(import.meta.dirname, "../../../crds");

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly pattern?: string | undefined;
}

const Schema: z.ZodType<Schema> = z.object({
  properties: z
    .record(
      z.string(),
      z.lazy(() => Schema),
    )
    .optional(),
  items: z.lazy(() => Schema).optional(),
  additionalProperties: z.union([z.boolean(), z.lazy(() => Schema)]).optional(),
  pattern: z.string().optional(),
});
const Crd = z.object({
  spec: z.object({
    names: z.object({ kind: z.string() }),
    versions: z.array(
      z.object({ schema: z.object({ openAPIV3Schema: z.object({ properties: z.object({ spec: Schema }) }) }) }),
    ),
  }),
});

function* fields(schema: Schema, path: string): Generator<readonly [path: string, schema: Schema]> {
  yield [path, schema];
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* fields(inner, `${path}.${name}`);
  if (schema.items !== undefined) yield* fields(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === "object") yield* fields(schema.additionalProperties, `${path}{}`);
}

const kinds = readdirSync(crds).flatMap((file) => {
  const { names, versions } = Crd.parse(parse(readFileSync(join(crds, file), "utf8"))).spec;
  return versions.map((version) => {
    const all = [...fields(version.schema.openAPIV3Schema.properties.spec, "spec")];
    return { kind: names.kind, all };
  });
});

describe.each(kinds)("[E9] a $kind", ({ all }) => {
  it("has no field for a namespace, except spec.allowedNamespaces of a connection", () => {
    const named = all.map(([path]) => path).filter((path) => /namespace/i.test(path));
    expect(named.filter((path) => !path.startsWith("spec.allowedNamespaces"))).toEqual([]);
  });

  it("refers by names that can include neither a namespace nor a path", () => {
    const names = all.filter(([path]) => /Ref(\[\])?\.name$/.test(path));
    for (const [path, { pattern }] of names) {
      expect(pattern, path).toBeDefined();
      const test = new RegExp(pattern ?? "", "u");
      for (const name of ["b/loot", "../loot", "..", ".", "%2e%2e", "loot\n", "b:loot", "LOOT", ""]) {
        expect(test.test(name), `${path}: ${JSON.stringify(name)}`).toBe(false);
      }
      expect(test.test("loot"), path).toBe(true);
    }
  });
});

it("[E9] only these members refer to Secrets", () => {
  const paths = kinds.flatMap(({ all }) => all.map(([path]) => path));
  const references = paths.flatMap((path) => /[^.[\]]*[sS]ecret[^.[\]]*Ref/.exec(path) ?? []);
  expect(new Set(references)).toEqual(
    new Set(["secretKeyRef", "secretRef", "tokenSecretRef", "writeConnectionSecretToRef", "writeTokenSecretToRef"]),
  );
});
