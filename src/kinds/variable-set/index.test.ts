import { describe, expect, it } from "vitest";

import { contextWith } from "../../../test/support/kinds/contexts.ts";
import type { Fingerprint } from "../../engine/contract/kind.ts";
import { platformVariableSet } from "./crd.ts";
import { variableSet } from "./index.ts";
import type { Inputs, Observed, SetContext, TargetInput } from "./model.ts";

const MINE = "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11";
const fingerprint: Fingerprint = { key: "k", digest: "d", sources: "s" };

function inputs(target: Partial<TargetInput>, overwrite = true): Inputs {
  return {
    targets: [{ name: undefined, id: MINE, ...target }],
    variables: [{ name: "KEY", value: "v", isSecret: false, digest: "d" }],
    fingerprint,
    overwrite,
    skipped: [],
  };
}

const known = { applicationId: MINE, written: { ...fingerprint }, variables: [{ key: "KEY", digest: "d" }] };

type Owner = Parameters<NonNullable<typeof variableSet.fieldOwnership>>[0];

describe("the fields that a variable set claims", () => {
  it.each<[what: string, of: Omit<Owner, "id">, entries: readonly string[]]>([
    ["are of an application of its namespace", { memory: {}, inputs: inputs({ name: "web" }) }, ["KEY"]],
    ["are not of an unverified id: it may be another team's", { memory: {}, inputs: inputs({}) }, []],
    ["are of an id that it has written to", { memory: { targets: [known] }, inputs: inputs({}) }, ["KEY"]],
    ["are none where it overwrites nothing", { memory: {}, inputs: inputs({ name: "web" }, false) }, []],
    ["are those that it has written", { memory: { targets: [known] }, inputs: undefined }, ["KEY"]],
  ])("%s", (_, of, names) => {
    expect(variableSet.fieldOwnership?.({ id: undefined, ...of })).toEqual(names.map((name) => `${MINE}/${name}`));
  });
});

describe("an import", () => {
  const spec = platformVariableSet.spec.parse({ targets: [{ applicationRef: { name: "web" } }] });
  const entry = { id: "e", key: "KEY", isSecret: false, scope: "APPLICATION", createdAt: undefined };
  const entries = [{ ...entry, updatedAt: "2026-11-21T09:00:00Z" }];
  const observed: Observed = {
    targets: new Map([[MINE, { is: "shown", entries }]]),
    sent: new Set(),
    serverNow: undefined,
  };
  const old = { key: "KEY", digest: "old", id: "e" };
  const gone = { key: "KEY", digest: "d", id: "gone" };

  it.each([
    ["follows a changed Secret", { ...fingerprint, digest: "old", sources: "older" }, old, { follows: true }],
    ["of another version of the operator follows nothing", { ...fingerprint, digest: "old" }, old, { follows: false }],
    ["that restores a variable follows nothing", fingerprint, gone, { corrects: true, follows: false }],
  ])("%s", (_title, written, variable, step) => {
    const memory = { targets: [{ ...known, written, variables: [variable] }] };
    const context = contextWith<SetContext>({ spec, inputs: inputs({ name: "web" }), memory });
    const plan = variableSet.plan(context, observed);
    expect(plan).toMatchObject({ is: "step", step: { op: "importVariables", ...step } });
  });
});
