import { describe, expect, it } from "vitest";

import {
  bindingContext,
  bindingSpec,
  CLUSTER,
  enabled,
  essentials,
  fullBinding as full,
  observedBinding,
  resolved,
  starting,
  writtenMemory,
} from "../../../test/support/kinds/bindings.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import { supportsOn } from "../../../test/support/kinds/supports.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { createBinding } from "./index.ts";
import type { BindingContext, Observed } from "./model.ts";

const kind = createBinding();
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
    const config = {
      managedConfig: { a: { x: { value: 1 }, y: { value: "1" } } },
      layerSelections: { a: true, b: false },
    };
    const turned = {
      managedConfig: { a: { y: { value: "1" }, x: { value: 1 } } },
      layerSelections: { b: false, a: true },
    };
    expect(digest(config)).toBe(digest(turned));
    const others = [
      {},
      { ...config, layerSelections: { a: true } },
      { ...config, managedConfig: { a: { x: { value: "1" }, y: { value: "1" } } } },
      { ...config, customerProvidedInputs: { a: { x: { value: "1" } } } },
      { ...config, template: { key: "essentials", version: "1.3.0" } },
    ];
    expect(new Set([config, ...others].map(digest)).size).toBe(others.length + 1);
  });
  it("claims its cluster", () => {
    expect(kind.claim?.(spec, () => undefined)).toBe(CLUSTER);
    expect(kind.externalLifecycle).toBe("Stays");
  });
});

describe("the plan of a binding", () => {
  const written = (layers: Binding["layers"] = enabled) => ({ memory: writtenMemory(bindingContext(), layers) });
  const refusing = { allowUnverifiedIds: false };
  const UNPROVEN = { is: "stalled", why: { reason: "NotObservable" } };
  const writtenFrom = (sources: string) => ({
    memory: { ...writtenMemory(bindingContext(), enabled), written: { key: "k", digest: "other", sources } },
  });
  const follows = (isDue: boolean) => ({ ...PUT, step: { ...PUT.step, follows: isDue } });

  const SETTLED = { is: "settled" };
  const stalledBy = (reason: string) => ({ is: "stalled", why: { reason } });
  const waitingFor = (reason: string) => ({ is: "waiting", why: { reason } });
  const blocked = { blockedOperations: new Set(["putBinding"]) };
  const seen = { surface: "Full" } as const;
  const ours = { ...seen, ...written() };
  const drifted = { ...full(enabled), templateVersion: "1.1.0" };
  const nowhere = { cluster: { listed: false, kind: undefined } };
  const unlisted = { template: undefined };
  const older = { memory: { templateKey: "essentials", templateVersion: "1.1.0" } };
  const unproven = { cluster: { listed: undefined, kind: undefined } };

  it.each<[string, ContextChange<BindingContext>, Partial<Observed>, object]>([
    ["not written yet", {}, {}, PUT],
    ["written", written(), {}, SETTLED],
    ["another content than was written", writtenFrom("s"), {}, follows(false)],
    ["another content of a Secret than was written", writtenFrom("older"), {}, follows(true)],
    ["written in this pass", {}, { sent: true }, SETTLED],
    ["forbidden to be written, and not shown", blocked, {}, stalledBy("NotObservable")],
    ["forbidden to be written, and there is none", { ...blocked, ...seen }, { bound: "none" }, stalledBy("NotCreated")],
    ["forbidden to be written, and bound already", { ...written(), ...blocked }, {}, SETTLED],
    ["on request", { ...written(), requested: "now" }, {}, SETTLED],
    ["layers off, which are not shown later", written(starting), {}, { is: "stalled" }],
    ["layers off, which an answer shows on request", { ...written(starting), requested: "now" }, {}, PUT],
    ["layers that the answer does not have", written([]), {}, SETTLED],
    ["another one has the cluster", { holderOf: () => "shop/first" }, {}, stalledBy("AlreadyManaged")],
    ["a connection for some projects", { ...refusing, allowedProjects: ["p"] }, {}, UNPROVEN],
    ["no proof whose cluster it is", refusing, unproven, UNPROVEN],
    ["a connection for some projects and any id", { allowedProjects: ["p"] }, {}, PUT],
    ["no such template", {}, unlisted, stalledBy("TemplateNotAvailable")],
    ["no such template, but bound", written(), unlisted, SETTLED],
    ["no such template, another bound", older, unlisted, { is: "stalled" }],
    ["problems", written(), { problems: ["spec.x is wrong"] }, stalledBy("InvalidSpec")],
    ["no such cluster", seen, nowhere, waitingFor("DependencyNotReady")],
    ["nothing bound", seen, { bound: "none" }, PUT],
    ["bound by somebody else in the same way", seen, { bound: full(enabled) }, SETTLED],
    ["bound by somebody else in another way", seen, { bound: drifted }, PUT],
    ["bound by us", ours, { bound: full(enabled) }, SETTLED],
    ["bound by us, on request", { ...ours, requested: "now" }, { bound: full(enabled) }, SETTLED],
    ["unbound since", ours, { bound: "none" }, PUT],
    ["drifted", ours, { bound: drifted }, PUT],
    ["drifted still, after the write", ours, { bound: drifted, sent: true }, SETTLED],
    ["layers starting", ours, { bound: full(starting) }, waitingFor("LayersNotEnabled")],
    ["no answer to the write", ours, { sent: true }, waitingFor("Progressing")],
    ["a full surface without this read", ours, {}, SETTLED],
  ])("%s", (_name, context, observed, expected) => {
    const pass = bindingContext(bindingSpec(), context);
    expect(kind.plan(pass, observedBinding({ template: essentials, ...observed }))).toMatchObject(expected);
  });

  it("writes values from Secrets, which cannot be compared with what somebody else bound", () => {
    const token = { valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
    const spec = bindingSpec({ managedConfig: { c: { token } } });
    const context = bindingContext(spec, { surface: "Full" }, { "spec.managedConfig[c][token]": "value" });
    expect(kind.plan(context, observedBinding({ template: essentials, bound: full(enabled) }))).toMatchObject(PUT);
  });

  it("remembers what it adopted, so that a change of the spec is written", () => {
    const context = bindingContext(bindingSpec(), { surface: "Full" });
    const { status } = kind.report(context, observedBinding({ template: essentials, bound: full(enabled) }));
    expect(status).toMatchObject({ written: context.inputs.fingerprint });
    const memory = { written: context.inputs.fingerprint };
    const changed = bindingContext(bindingSpec({ layerSelections: { gpu: false } }), { surface: "Full", memory });
    expect(kind.plan(changed, observedBinding({ template: essentials, bound: full(enabled) }))).toMatchObject(PUT);
  });

  it("stalls over a layer that the platform leaves out though the spec selects it", () => {
    const context = bindingContext(bindingSpec({ layerSelections: { gpu: true } }));
    const layers = [...enabled, { key: "gpu", status: "SKIPPED", reason: "Not available on IBM" }];
    const observed = observedBinding({ template: essentials, bound: full(layers) });
    expect(
      kind.plan({ ...context, memory: writtenMemory(context, layers), supports: supportsOn("Full") }, observed),
    ).toEqual({
      is: "stalled",
      why: { reason: "LayersNotEnabled", message: expect.stringMatching(/^gpu is SKIPPED .*Deselect/) },
    });
  });
});
