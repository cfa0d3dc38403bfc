import { describe, expect, it } from "vitest";

import type { Json, ResolvedNeeds } from "../../engine/contract/kind.ts";
import { platformVariableSet } from "./crd.ts";
import { needs } from "./index.ts";

const ID = "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11";
const spec = (change: object) =>
  platformVariableSet.spec.parse({ targets: [{ applicationRef: { name: "web" } }], ...change });

/** All values by their fields; a fingerprint is the content itself. */
function resolved(
  all: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ids: readonly string[],
): ResolvedNeeds {
  return {
    id: () => "",
    idIfAny: (field) => ids[Number(/\d+/.exec(field)?.[0])],
    value: (field) => `value of ${field}`,
    all: (field) => new Map(Object.entries(all[field] ?? {})),
    fingerprint: (content: Json) => ({ key: "k", digest: JSON.stringify(content), sources: "s" }),
  };
}

describe("what a variable set needs", () => {
  const given = spec({
    targets: [{ applicationRef: { name: "web" } }, { applicationRef: { externalId: ID } }],
    variables: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    variablesFrom: [{ secretRef: { name: "whole" } }, { configMapRef: { name: "plain" } }],
  });

  it("are applications that need not exist, single keys, and whole objects", () => {
    const { references, values } = needs(given);
    expect(references).toEqual([
      { field: "spec.targets[0].applicationRef", kind: "PlatformApplication", name: "web", optional: true },
      { field: "spec.targets[1].applicationRef", kind: "PlatformApplication", externalId: ID, optional: true },
    ]);
    expect(values).toEqual([
      { field: "spec.variables[A]", from: "Secret", name: "s", key: "k" },
      { field: "spec.variablesFrom[0]", from: "Secret", name: "whole" },
      { field: "spec.variablesFrom[1]", from: "ConfigMap", name: "plain" },
    ]);
  });
});

describe("the inputs of a variable set", () => {
  it("is each application once, also while one has no id", () => {
    const targets = ["web", "same", "missing"].map((name) => ({ applicationRef: { name } }));
    const inputs = needs(spec({ targets })).inputs(resolved({}, ["id-1", "id-1"]));
    expect(inputs.targets).toEqual([
      { name: "web", id: "id-1" },
      { name: "missing", id: undefined },
    ]);
  });

  it("is each variable once: the spec's own before a later source before an earlier one", () => {
    const inputs = needs(
      spec({
        scope: "PROJECT",
        variables: [{ name: "OWN", value: "1", scope: "APPLICATION" }],
        variablesFrom: [
          { secretRef: { name: "s" } },
          { configMapRef: { name: "c" }, secret: true, scope: "ENVIRONMENT" },
          { configMapRef: { name: "d" }, prefix: "P_" },
        ],
      }),
    ).inputs(
      resolved(
        {
          "spec.variablesFrom[0]": { OWN: "theirs", BOTH: "first", "a.b": "x", "1": "y" },
          "spec.variablesFrom[1]": { BOTH: "second" },
          "spec.variablesFrom[2]": { "1": "z", ["L".repeat(254)]: "too long" },
        },
        [],
      ),
    );
    expect(inputs.variables.map(({ name, value, isSecret, scope }) => ({ name, value, isSecret, scope }))).toEqual([
      { name: "BOTH", value: "second", isSecret: true, scope: "ENVIRONMENT" },
      { name: "OWN", value: "1", isSecret: false, scope: "APPLICATION" },
      { name: "P_1", value: "z", isSecret: false, scope: "PROJECT" },
    ]);
    expect(inputs.skipped).toEqual([
      `ConfigMap "d" key "${"L".repeat(254)}"`,
      'Secret "s" key "1"',
      'Secret "s" key "a.b"',
    ]);
    expect(new Set(inputs.variables.map(({ digest }) => digest)).size).toBe(3);
    expect(inputs.fingerprint.digest).toContain("second");
  });
});
