/** No resource, whatever it contains, keeps events of other resources from the queue. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { EXTERNAL_ID, INTENT } from "../../../src/api/names.ts";
import { boundKinds } from "../../../src/config/kinds.ts";
import { RESOURCES } from "../../../src/kinds/index.ts";
import type { Json, KubeObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import { expectNoPollution } from "../../support/hostile/values.ts";
import { leavesOf } from "../generated/leaves.ts";
import { readSchemas } from "../generated/schema.ts";

/** Names of members that some kind has, so that random values pass the first checks. */
const names = fc.constantFrom(
  ...new Set(RESOURCES.flatMap(({ status }) => Object.keys(status.shape))),
  ...new Set(readSchemas().flatMap(({ spec }) => leavesOf(spec).flatMap(({ path }) => path.match(/\w+/g) ?? []))),
  "__proto__",
  "constructor",
);
const { any } = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.constantFrom("\uD800", "..", "x".repeat(70_000), "00000000-0000-4000-8000-00000000000a"),
    fc.array(tie("any"), { maxLength: 5 }),
    fc.dictionary(names, tie("any"), { maxKeys: 8 }),
  ),
}));

/** So deep that a recursive function overflows the stack. */
const DEEP = JSON.parse(`${'{"name":['.repeat(5_000)}1${"]}".repeat(5_000)}`) as Json;

function object(kind: string, spec: Json, status: Json, note: string): KubeObject {
  const metadata = { name: "a", namespace: "b", uid: "c", resourceVersion: "1", generation: 1 };
  return {
    apiVersion: "x/v1",
    kind,
    metadata: { ...metadata, annotations: { [EXTERNAL_ID]: note, [INTENT]: note } },
    spec,
    status,
  };
}

describe.each(boundKinds().managed)("[E16] a $kind with any spec and status", (kind) => {
  const index = (hostile: KubeObject): boolean => {
    kind.claim(hostile);
    return [kind.references(hostile), kind.fieldClaims(hostile)].every(Array.isArray);
  };

  it("is added to the operator's indexes without an error", () => {
    fc.assert(
      fc.property(any, any, fc.string(), (spec, status, note) => {
        expect(index(object(kind.kind, spec, status, note))).toBe(true);
        expectNoPollution();
      }),
      { numRuns: effort.cases(100, 20_000), seed: effort.seed },
    );
  });

  it("is added to the operator's indexes without an error, however deeply it is nested", () => {
    expect(index(object(kind.kind, DEEP, DEEP, "x"))).toBe(true);
    const spec = { lifecycle: DEEP, variables: DEEP, managedConfig: DEEP, overrides: DEEP };
    expect(
      index(
        object(kind.kind, spec, { writeLedger: { identity: DEEP, intent: DEEP, owned: DEEP }, targets: DEEP }, "x"),
      ),
    ).toBe(true);
  });
});

describe.each(boundKinds().connections)("[E16] a $kind with any spec", (kind) => {
  const secrets = (spec: Json): boolean => Array.isArray(kind.secrets(object(kind.kind, spec, {}, "x")));

  it("names its Secrets without an error, however deeply it is nested", () => {
    fc.assert(
      fc.property(any, (spec) => {
        expect(secrets(spec)).toBe(true);
        expectNoPollution();
      }),
      { numRuns: effort.cases(100, 20_000), seed: effort.seed },
    );
    expect(secrets(DEEP)).toBe(true);
  });
});
