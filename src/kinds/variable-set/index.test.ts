import { describe, expect, it } from "vitest";

import { buildContext } from "../../../test/support/kinds/contexts.ts";
import { resolvedNeeds } from "../../../test/support/kinds/kind-runner.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import type { Fingerprint, Json } from "../../engine/contract/kind.ts";
import type { ListedVariable } from "../variables/compare.ts";
import type { Owned, OwnedVariable } from "../variables/owned.ts";
import type { VariableAction } from "../variables/send.ts";
import { platformVariableSet } from "./crd.ts";
import { needs, variableSet } from "./index.ts";
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

const spec = (change: object = {}) =>
  platformVariableSet.spec.parse({ targets: [{ applicationRef: { name: "web" } }], ...change });

const owned = { written: { ...fingerprint }, variables: [{ key: "KEY", digest: "d" }] };
const remembering = (what: Owned) => ({
  targets: [{ applicationId: MINE }],
  owned: [{ applicationId: MINE, ...what }],
});

/** A fingerprint that is the content itself. */
const content = (of: Json): Fingerprint => ({ ...fingerprint, digest: JSON.stringify(of) });

type Owner = Parameters<NonNullable<typeof variableSet.fieldClaims>>[0];

it.each<[what: string, of: Omit<Owner, "id">, fields: readonly string[]]>([
  ["are of an application of its namespace", { memory: {}, inputs: inputs({ name: "web" }) }, ["KEY"]],
  ["are not of an unverified id: it may be another team's", { memory: {}, inputs: inputs({}) }, []],
  ["are of an id that it has written to", { memory: remembering(owned), inputs: inputs({}) }, ["KEY"]],
  ["are none where it overwrites nothing", { memory: {}, inputs: inputs({ name: "web" }, false) }, []],
  ["are those that it has written", { memory: remembering(owned), inputs: undefined }, ["KEY"]],
])("the fields that a variable set claims %s", (_, of, names) => {
  const claims = variableSet.fieldClaims?.({ id: undefined, ...of }) ?? [];
  const fields = claims.flatMap(({ id, field }) => (field === undefined ? [] : [{ id, field }]));
  expect(fields).toEqual(names.map((field) => ({ id: MINE, field })));
});

it.each<[what: string, variables: readonly OwnedVariable[]]>([
  ["variables", owned.variables],
  ["no variable any more", []],
])("a variable set reports when it last wrote to an application in which it has %s", (_, variables) => {
  const writtenAt = "2026-11-21T10:00:00.000Z";
  const memory = remembering({ ...owned, variables: [...variables], writtenAt });
  const claims = variableSet.fieldClaims?.({ id: undefined, memory, inputs: undefined });
  expect(claims).toContainEqual({ id: MINE, writtenAt });
});

/** What a reconcile observed of the application: its plain variables. */
const observing = (...plain: readonly ListedVariable[]): Observed => ({
  targets: new Map([[MINE, { is: "shown", lists: { plain, secrets: [] } }]]),
  sent: new Map(),
  serverNow: undefined,
});

const listed = (id: string, key: string, digest: string): ListedVariable => ({
  ...{ id, key, isSecret: false, digest, scope: "APPLICATION" },
  ...{ createdAt: undefined, updatedAt: "2026-11-21T09:00:00Z" },
});

describe("an import", () => {
  const older = { ...fingerprint, digest: "old" };
  const there = observing(listed("e", "KEY", "old"));

  it.each([
    ["follows a changed Secret", { ...older, sources: "older" }, "old", there, { follows: true }],
    ["of another version of the operator follows nothing", older, "old", there, { follows: false }],
    ["that restores a variable follows nothing", fingerprint, "d", observing(), { corrects: true, follows: false }],
  ])("%s", (_title, written, digest, observed, step) => {
    const memory = remembering({ written, variables: [{ key: "KEY", digest }] });
    const context = buildContext<SetContext>({ spec: spec(), inputs: inputs({ name: "web" }), memory });
    expect(variableSet.plan(context, observed)).toMatchObject({ is: "step", step: { op: "importVariables", ...step } });
  });
});

describe("a removal", () => {
  const observed = observing(listed("e", "OLD", "old"), listed("k", "KEY", "d"));
  const variables = [
    { key: "OLD", digest: "old" },
    { key: "KEY", digest: "d" },
  ];
  const withContent = (written: Fingerprint) =>
    buildContext<SetContext>({
      surface: "Full",
      spec: spec(),
      inputs: inputs({ name: "web" }),
      memory: remembering({ written, variables }),
    });

  it.each([
    ["follows a Secret that lost a key", { ...fingerprint, digest: "old", sources: "older" }, true],
    ["follows nothing if no source changed", { ...fingerprint, digest: "old" }, false],
  ])("%s", (_title, written, follows) => {
    const step = { op: "deleteVariable", follows };
    expect(variableSet.plan(withContent(written), observed)).toMatchObject({ is: "step", step });
  });

  it("leaves the application with the current content", async () => {
    const context = withContent({ ...fingerprint, digest: "old", sources: "older" });
    const action: VariableAction = { what: "removeVariable", id: MINE, name: "OLD", entryId: "e", isSecret: false };
    const api = platformWith({ variables: { delete: () => Promise.resolve() } });
    const step = { repeat: "safe", op: "deleteVariable", action } as const;
    const { memory, observed: after } = await variableSet.act(step, context, observed, api);
    const { status } = variableSet.report({ ...context, memory }, after);
    expect(status["owned"]).toMatchObject([{ applicationId: MINE, written: fingerprint, variables: [variables[1]] }]);
  });
});

const given = spec({
  targets: [{ applicationRef: { name: "web" } }, { applicationRef: { externalId: MINE } }],
  variables: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
  variablesFrom: [{ secretRef: { name: "whole" } }, { configMapRef: { name: "plain" } }],
});

it("a variable set needs applications that need not exist, single keys, and whole objects", () => {
  const { references, values } = needs(given);
  expect(references).toEqual([
    { field: "spec.targets[0].applicationRef", kind: "PlatformApplication", name: "web", optional: true },
    { field: "spec.targets[1].applicationRef", kind: "PlatformApplication", externalId: MINE, optional: true },
  ]);
  expect(values).toEqual([
    { field: "spec.variables[A]", from: "Secret", name: "s", key: "k" },
    { field: "spec.variablesFrom[0]", from: "Secret", name: "whole", takes: expect.any(Function) },
    { field: "spec.variablesFrom[1]", from: "ConfigMap", name: "plain", takes: expect.any(Function) },
  ]);
});

describe("the inputs of a variable set", () => {
  it("is each application once, also while one has no id", () => {
    const targets = ["web", "same", "missing"].map((name) => ({ applicationRef: { name } }));
    const ids = { "spec.targets[0].applicationRef": "id-1", "spec.targets[1].applicationRef": "id-1" };
    const { targets: found } = needs(spec({ targets })).inputs(resolvedNeeds({ ids, values: {} }, content));
    expect(found).toEqual([
      { name: "web", id: "id-1" },
      { name: "missing", id: undefined },
    ]);
  });

  it("is each variable once: the spec's own before a later source before an earlier one", () => {
    const given = spec({
      scope: "PROJECT",
      variables: [{ name: "OWN", value: "1", scope: "APPLICATION" }],
      variablesFrom: [
        { secretRef: { name: "s" } },
        { configMapRef: { name: "c" }, secret: true, scope: "ENVIRONMENT" },
        { configMapRef: { name: "d" }, prefix: "P_" },
      ],
    });
    const all = {
      "spec.variablesFrom[0]": { OWN: "theirs", BOTH: "first", "a.b": "x", "1": "y" },
      "spec.variablesFrom[1]": { BOTH: "second" },
      "spec.variablesFrom[2]": { "1": "z", ["L".repeat(254)]: "too long" },
    };
    const inputs = needs(given).inputs(resolvedNeeds({ ids: {}, values: {}, all }, content));
    expect(inputs.variables.map(({ name, value, isSecret, scope }) => ({ name, value, isSecret, scope }))).toEqual([
      { name: "BOTH", value: "second", isSecret: true, scope: "ENVIRONMENT" },
      { name: "OWN", value: "1", isSecret: false, scope: "APPLICATION" },
      { name: "P_1", value: "z", isSecret: false, scope: "PROJECT" },
    ]);
    const long = `ConfigMap "d" key "${"L".repeat(254)}"`;
    expect(inputs.skipped).toEqual([long, 'Secret "s" key "1"', 'Secret "s" key "a.b"']);
    expect(new Set(inputs.variables.map(({ digest }) => digest)).size).toBe(3);
    expect(inputs.fingerprint.digest).toContain("second");
  });
});
