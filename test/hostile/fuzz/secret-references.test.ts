/** No field of any kind can name an object of another namespace. */
import { describe, expect, it } from "vitest";

import { leavesOf } from "../generated/leaves.ts";
import { readSchemas } from "../generated/schema.ts";

const kinds = readSchemas().map(({ kind, spec }) => ({ kind, leaves: leavesOf(spec) }));

describe.each(kinds)("[E9] the schema of a $kind", ({ leaves }) => {
  it("has no field for a namespace, except spec.allowedNamespaces of a connection", () => {
    const named = leaves.map(({ path }) => path).filter((path) => /namespace/i.test(path));
    expect(named.filter((path) => !path.startsWith("allowedNamespaces"))).toEqual([]);
  });

  it("refers by names that can include neither a namespace nor a path", () => {
    const names = leaves.filter(({ path }) => /Ref(\[\])?\.name$/.test(path));
    for (const { path, schema } of names) {
      const test = new RegExp(schema.pattern ?? "", "u");
      for (const name of ["b/loot", "../loot", "..", ".", "%2e%2e", "loot\n", "b:loot", "LOOT", ""]) {
        expect(test.test(name), `${path}: ${JSON.stringify(name)}`).toBe(false);
      }
      expect(test.test("loot"), path).toBe(true);
    }
  });
});

it("[E9] a Secret is referred to only by the three references of values, tokenSecretRef and the two of outputs", () => {
  const paths = kinds.flatMap(({ leaves }) => leaves.map(({ path }) => path));
  const references = paths.flatMap((path) => /[^.[\]]*[sS]ecret[^.[\]]*Ref/.exec(path) ?? []);
  expect(new Set(references)).toEqual(
    new Set([
      "secretKeyRef",
      "secretRef",
      "targetSecretRef",
      "tokenSecretRef",
      "writeConnectionSecretToRef",
      "writeTokenSecretToRef",
    ]),
  );
});
