import { describe, expect, it } from "vitest";

import {
  bindingContext,
  bindingSpec,
  CLUSTER,
  component,
  enabled,
  essentials,
  fakePlatform,
  field,
  fullBinding as full,
  layer,
  NOW,
  observedBinding,
  resolved,
  starting,
  template,
  writtenMemory,
} from "../../../test/support/kinds/bindings.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import { planTable, said } from "../../../test/support/kinds/plans.ts";
import type { Binding, BindingInput } from "../../platform/areas/templates.ts";
import { createBinding } from "./index.ts";
import type { BindingContext, Observed } from "./model.ts";

const kind = createBinding();
const skipped = [{ key: "base", status: "SKIPPED" }];
const PUT = { is: "step", step: { repeat: "safe", op: "putBinding", action: "put" } };

describe("what a binding needs", () => {
  const spec = bindingSpec({
    managedConfig: { c: { a: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } }, b: { value: 1 } } },
    customerProvidedInputs: { c: { "x y": { valueFrom: { configMapKeyRef: { name: "m", key: "k" } } } } },
  });
  it("are the values that it refers to, and nothing else", () => {
    expect(kind.needs(spec)).toMatchObject({
      references: [{ field: "spec.clusterRef", kind: "PlatformCluster", externalId: CLUSTER, idOnly: true }],
      values: [
        { field: "spec.managedConfig[c][a]", from: "Secret", name: "s", key: "k" },
        { field: 'spec.customerProvidedInputs[c]["x y"]', from: "ConfigMap", name: "m", key: "k" },
      ],
    });
  });
  it("never confuses two values, however the keys are spelled", () => {
    const from = (name: string) => ({ valueFrom: { secretKeyRef: { name, key: "k" } } });
    const odd = bindingSpec({ managedConfig: { "a][b": { c: from("one") }, a: { "b][c": from("two") } } });
    expect(new Set(kind.needs(odd).values.map((request) => request.field)).size).toBe(2);
  });
  it("detects every change of the content, whatever its order", () => {
    const digest = (change: object) => kind.needs(bindingSpec(change)).inputs(resolved()).fingerprint.digest;
    const [x, y] = [{ value: 1 }, { value: "1" }];
    const config = { managedConfig: { a: { x, y } }, layerSelections: { a: true, b: false } };
    const turned = { managedConfig: { a: { y, x } }, layerSelections: { b: false, a: true } };
    expect(digest(config)).toBe(digest(turned));
    const others = [
      {},
      { ...config, layerSelections: { a: true } },
      { ...config, managedConfig: { a: { x: y, y } } },
      { ...config, customerProvidedInputs: { a: { x: y } } },
      { ...config, template: { key: "essentials", version: "1.3.0" } },
    ];
    expect(new Set([config, ...others].map(digest)).size).toBe(others.length + 1);
  });
});

describe("the plan of a binding", () => {
  const written = (layers: Binding["layers"] = enabled) => ({ memory: writtenMemory(bindingContext(), layers) });
  /** Written, and seen so many seconds ago, for the last time so many seconds after the write. */
  const looked = (layers: Binding["layers"], seconds: number, after = 0) => {
    const at = (ago: number) => new Date(NOW.getTime() - ago * 1000).toISOString();
    const memory = { ...written(layers).memory, writtenAt: at(seconds + after), repeatedAt: at(seconds) };
    return { memory };
  };
  const refusing = { allowUnverifiedIds: false };
  const UNPROVEN = "stalled NotObservable";
  const writtenFrom = (sources: string) => ({
    memory: { ...writtenMemory(bindingContext(), enabled), written: { key: "k", digest: "other", sources } },
  });
  const blocked = { blockedOperations: new Set(["putBinding"]) };
  const seen = { surface: "Full" } as const;
  const ours = { ...seen, ...written() };
  const drifted = { ...full(enabled), templateVersion: "1.1.0" };
  const unlisted = { template: undefined };
  const older = { memory: { templateKey: "essentials", templateVersion: "1.1.0" } };

  planTable((change: ContextChange<BindingContext>, observed: Partial<Observed>) =>
    said(kind.plan(bindingContext(bindingSpec(), change), observedBinding({ template: essentials, ...observed }))),
  )([
    ["not written yet", {}, {}, "putBinding"],
    ["written", written(), {}, "settled"],
    ["another content than was written", writtenFrom("s"), {}, "putBinding"],
    ["written in this reconcile", {}, { sent: true }, "settled"],
    ["forbidden to be written, and not shown", blocked, {}, "stalled NotObservable"],
    ["forbidden to be written, and there is none", { ...blocked, ...seen }, { bound: "none" }, "stalled NotCreated"],
    ["forbidden to be written, and bound already", { ...written(), ...blocked }, {}, "settled"],
    ["on request", { ...written(), requested: "now" }, {}, "settled"],
    ["layers off, which are not shown later", looked(starting, 59), {}, "waiting LayersNotEnabled"],
    ["layers off, which an answer shows on request", { ...looked(starting, 1), requested: "now" }, {}, "putBinding"],
    ["layers off, a minute later", looked(starting, 60), {}, "putBinding"],
    ["layers off, seen four minutes after the write", looked(starting, 239, 240), {}, "waiting LayersNotEnabled"],
    ["layers off, and as long after that", looked(starting, 240, 240), {}, "putBinding"],
    ["layers off that the cluster cannot have", looked(skipped, 3600), {}, "stalled LayersNotEnabled"],
    ["layers that the answer does not have", written([]), {}, "settled"],
    ["another one has the cluster", { holderOf: () => "shop/first" }, {}, "stalled AlreadyManaged"],
    ["a connection for some projects", { ...refusing, allowedProjects: ["p"] }, {}, UNPROVEN],
    ["no proof whose cluster it is", refusing, { cluster: { listed: undefined, kind: undefined } }, UNPROVEN],
    ["a connection for some projects and any id", { allowedProjects: ["p"] }, {}, "putBinding"],
    ["no such template", {}, unlisted, "stalled TemplateNotAvailable"],
    ["no such template, but bound", written(), unlisted, "settled"],
    ["no such template, another bound", older, unlisted, "stalled TemplateNotAvailable"],
    ["problems", written(), { problems: ["spec.x is wrong"] }, "stalled InvalidSpec"],
    ["no such cluster", seen, { cluster: { listed: false, kind: undefined } }, "waiting DependencyNotReady"],
    ["nothing bound", seen, { bound: "none" }, "putBinding"],
    ["bound by somebody else in the same way", seen, { bound: full(enabled) }, "settled"],
    ["bound by somebody else in another way", seen, { bound: drifted }, "putBinding"],
    ["bound by us", ours, { bound: full(enabled) }, "settled"],
    ["bound by us, on request", { ...ours, requested: "now" }, { bound: full(enabled) }, "settled"],
    ["unbound since", ours, { bound: "none" }, "putBinding corrects"],
    ["drifted", ours, { bound: drifted }, "putBinding corrects"],
    ["drifted still, after the write", ours, { bound: drifted, sent: true }, "settled"],
    ["layers starting", ours, { bound: full(starting) }, "waiting LayersNotEnabled"],
    ["no answer to the write", ours, { sent: true }, "waiting Progressing"],
    ["a full surface without this read", ours, {}, "settled"],
  ]);

  it.each([
    ["s", false],
    ["older", true],
  ])("follows a change of a Secret or of none: of the versions %s, %s", (sources, follows) => {
    const context = bindingContext(bindingSpec(), writtenFrom(sources));
    expect(kind.plan(context, observedBinding({ template: essentials }))).toMatchObject({ step: { follows } });
  });

  const asBound = observedBinding({ template: essentials, bound: full(enabled) });

  it("writes values from Secrets, which cannot be compared with what somebody else bound", () => {
    const token = { valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    const spec = bindingSpec({ managedConfig: { c: { token } } });
    const context = bindingContext(spec, { surface: "Full" }, { "spec.managedConfig[c][token]": "value" });
    expect(kind.plan(context, asBound)).toMatchObject(PUT);
  });

  it("remembers what it adopted, so that a change of the spec is written", () => {
    const context = bindingContext(bindingSpec(), { surface: "Full" });
    const { status } = kind.report(context, asBound);
    expect(status).toMatchObject({ written: context.inputs.fingerprint });
    const memory = { written: context.inputs.fingerprint };
    const changed = bindingContext(bindingSpec({ layerSelections: { gpu: false } }), { surface: "Full", memory });
    expect(kind.plan(changed, asBound)).toMatchObject(PUT);
  });

  it("stalls over a layer that the platform leaves out though the spec selects it", () => {
    const context = bindingContext(bindingSpec({ layerSelections: { gpu: true } }), { surface: "Full" });
    const layers = [...enabled, { key: "gpu", status: "SKIPPED", reason: "Not available on IBM" }];
    const observed = observedBinding({ template: essentials, bound: full(layers) });
    const why = { reason: "LayersNotEnabled", message: expect.stringMatching(/^gpu is SKIPPED .*Deselect/) };
    expect(kind.plan({ ...context, memory: writtenMemory(context, layers) }, observed)).toEqual({ is: "stalled", why });
  });
});

describe("the write", () => {
  const [count, flag] = [field("count", { type: "number" }), field("flag", { type: "bool" })];
  const components = [component("c", field("text"), count, flag, field("token", { sensitive: true }))];
  const shape = template(layer("base", { mandatory: true, components }));
  const given = { text: { value: "a" }, count: { value: "9007199254740993" } };
  const ofConfigMap = { valueFrom: { configMapKeyRef: { name: "m", key: "k" } } };
  const ofSecret = (key: string) => ({ valueFrom: { secretKeyRef: { name: "s", key } } });
  const spec = bindingSpec({
    layerSelections: { base: true },
    managedConfig: { c: { ...given, flag: ofConfigMap, token: ofSecret("k") } },
    customerProvidedInputs: { c: { contact: { value: "5" }, pin: ofSecret("p") } },
  });
  const values = {
    "spec.managedConfig[c][flag]": "true",
    "spec.managedConfig[c][token]": "s3cret-1",
    "spec.customerProvidedInputs[c][pin]": "s3cret-2",
  };

  async function act(surface: "Documented" | "Full", answer: Binding | undefined) {
    const sent: { clusterId: string; input: BindingInput }[] = [];
    const bind = (clusterId: string, input: BindingInput) => {
      sent.push({ clusterId, input });
      return Promise.resolve(answer);
    };
    const api = fakePlatform({ templates: { bind } });
    const context = bindingContext(spec, { surface }, values);
    const step = { repeat: "safe", op: "putBinding", action: "put" } as const;
    const known = await kind.act(step, context, observedBinding({ template: shape }), api);
    return { context, known, sent };
  }

  it("sends every value in its field's type, and marks the secret ones", async () => {
    const { sent } = await act("Documented", full(enabled));
    const input = {
      templateKey: "essentials",
      templateVersion: "1.2.0",
      layerSelections: { base: true },
      managedConfig: { c: { text: "a", count: 9_007_199_254_740_993n, flag: true, token: "s3cret-1" } },
      customerProvidedInputs: { c: { contact: "5", pin: "s3cret-2" } },
      secrets: ["s3cret-1", "s3cret-2"],
    };
    expect(sent).toEqual([{ clusterId: CLUSTER, input }]);
  });

  it("remembers what was written and what was answered", async () => {
    const { context, known } = await act("Documented", full(enabled));
    expect(known.memory).toEqual({ ...writtenMemory(context, enabled), writtenAt: NOW.toISOString() });
    expect(known.observed).toMatchObject({ sent: true, bound: undefined });
    expect(kind.plan({ ...context, memory: known.memory }, known.observed)).toEqual({ is: "settled" });
  });

  it("uses the answer as the observed binding on the full surface", async () => {
    const { context, known } = await act("Full", full(starting));
    expect(known.observed.bound).toEqual(full(starting));
    expect(kind.plan({ ...context, memory: known.memory }, known.observed)).toMatchObject({ is: "waiting" });
  });

  it("is not repeated for an input that the platform masks, unless it shows another value or the user asks", async () => {
    const shown = (contact: string) => ({ ...full(enabled), customerProvidedInputs: { c: { contact } } });
    const { context, known } = await act("Full", shown("***"));
    const later = { ...context, memory: known.memory };
    const observed = (contact: string) => ({ ...known.observed, bound: shown(contact), sent: false });
    expect(kind.plan(later, observed("***"))).toEqual({ is: "settled" });
    const drift = [{ path: "spec.customerProvidedInputs[c][contact]", observed: "another value" }];
    expect(kind.report(later, observed("***"))).toMatchObject({ status: { altered: known.memory.altered }, drift });
    expect(kind.plan(later, observed("6"))).toMatchObject({ is: "step", step: { corrects: true } });
    expect(kind.plan({ ...later, requested: "now" }, observed("***"))).toMatchObject({ is: "step" });
    expect(kind.report(later, observed("5")).status).toHaveProperty("altered", undefined);
  });

  it("works without an answer", async () => {
    const { context, known } = await act("Documented", undefined);
    expect(known.memory.layers).toBeUndefined();
    expect(kind.report({ ...context, memory: known.memory }, known.observed).conditions).toContainEqual(
      expect.objectContaining({ type: "LayersReady", status: "Unknown", reason: "NotObservable" }),
    );
  });
});
