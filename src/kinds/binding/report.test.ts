import { describe, expect, it } from "vitest";

import {
  bindingContext,
  CLUSTER,
  enabled,
  essentials,
  fullBinding as full,
  layer,
  observedBinding,
  starting,
  template,
  writtenMemory,
} from "../../../test/support/kinds/bindings.ts";
import type { ContextChange } from "../../../test/support/kinds/contexts.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import type { BindingContext, Observed } from "./model.ts";
import { report as reportOf } from "./report.ts";

describe("the report of a binding", () => {
  const context = bindingContext();
  const memory = (layers: Binding["layers"]) => ({ memory: writtenMemory(context, layers) });
  const report = (change: ContextChange<BindingContext>, observed: Partial<Observed> = {}) =>
    reportOf({ ...context, ...change }, observedBinding({ template: essentials, ...observed }));

  /** The report on the full surface, after a write that was answered with these layers. */
  const since = (layers: Binding["layers"]) => ({ surface: "Full", ...memory(layers) }) as const;
  const conditions = (change: ContextChange<BindingContext>, observed: Partial<Observed>) =>
    report(change, observed).conditions.map((one) => `${one.type} ${one.status} ${one.reason}: ${one.message}`);
  const unlisted = { template: undefined, offered: [] };
  const unread = { template: { ...essentials, isIncomplete: true as const } };
  const retired = { template: { ...essentials, status: "DEPRECATED" } };
  const other = { template: undefined, offered: [{ key: "other", version: "1" }] };
  const skipped = [{ key: "base", status: "SKIPPED", reason: "no GPU" }];
  const onAws = { template: template(layer("base", { mandatory: true, providers: ["AWS"] })) };
  const none = { template: template(layer("gpu")) };
  const TEMPLATE = 'template "essentials"';
  const ABSENT = `TemplateNotAvailable: The platform does not list ${TEMPLATE} as published for this organization.`;
  const STAYS = "It lists none. It is bound, and stays so; changes are not checked before they are sent.";
  const OFF = "LayersReady False LayersNotEnabled:";
  const IS_OFF = `${OFF} base is DISABLED (The layer is being enabled).`;
  const WAS_OFF = `${OFF} When the binding was written: base is DISABLED (The layer is being enabled). `;
  const UNKNOWN = "LayersReady Unknown NotObservable: The platform did not answer with its layers";
  const ALL_ON = "LayersReady True LayersEnabled: 1 of 1 selected layers are enabled.";

  it.each<[string, ContextChange<BindingContext>, Partial<Observed>, string]>([
    ["fits", memory(enabled), {}, `ConfigValid True Valid: The spec fits ${TEMPLATE} version "1.2.0".`],
    [
      "names a template that is not for new bindings",
      memory(enabled),
      retired,
      `ConfigValid True Valid: The spec fits ${TEMPLATE} version "1.2.0", which is DEPRECATED.`,
    ],
    ["may not fit the layers that cannot be read", memory(enabled), unread, "ConfigValid Unknown UnexpectedResponse:"],
    ["is bound to what is not listed", memory(enabled), unlisted, `ConfigValid Unknown ${ABSENT} ${STAYS}`],
    ["names no listed template", {}, other, `ConfigValid False ${ABSENT} It lists other.`],
    ["has all layers on", memory(enabled), {}, ALL_ON],
    ["had layers off when the binding was written", memory(starting), {}, WAS_OFF],
    ["has layers that the answer lacks", memory(undefined), {}, UNKNOWN],
    ["has layers off now", since(enabled), { bound: full(starting) }, IS_OFF],
    ["has layers on by now", since(starting), { bound: full(enabled) }, ALL_ON],
    ["is not bound any more", since(enabled), { bound: "none" }, `${OFF} Nothing is bound`],
  ])("says that a spec %s", (_name, change, observed, expected) => {
    expect(conditions(change, observed)).toContainEqual(expect.stringContaining(expected));
  });

  it.each<[string, Binding["layers"], Partial<Observed>, string]>([
    ["is skipped on a cluster of an unknown kind", skipped, onAws, "base is SKIPPED (no GPU). Set spec.cluster to see"],
    ["is not reported", [], {}, "base is not reported. Set spec.cluster"],
    ["is skipped, of a template that is not listed", skipped, unlisted, "base is SKIPPED (no GPU). The platform does"],
  ])("does not know of a mandatory layer that %s", (_name, layers, observed, words) => {
    const message: unknown = expect.stringContaining(words);
    const layersReady = { type: "LayersReady", status: "Unknown", reason: "NotObservable", message };
    const { ready, conditions: all } = report(memory(layers), observed);
    expect(all[1]).toEqual(layersReady);
    expect(ready).toEqual({ reason: "NotObservable", message });
  });

  it.each<[string, Binding["layers"], Partial<Observed>, string, string]>([
    ["enabled layers", enabled, {}, "Bound", 'has template "essentials" version "1.2.0", with every selected layer'],
    ["unknown layers", undefined, {}, "NotObservable", "does not show the state of its layers"],
    ["no layers, of which none is selected", [], none, "Bound", "with no layer selected"],
  ])("is ready with %s", (_name, layers, observed, reason, words) => {
    expect(report(memory(layers), observed).ready).toEqual({ reason, message: expect.stringContaining(words) });
  });

  const shown = { templateKey: "essentials", templateVersion: "1.2.0", layers: enabled, layersEnabled: "1/1" };
  const forgotten = { templateKey: undefined, templateVersion: undefined, layers: undefined };

  it.each<[string, ContextChange<BindingContext>, Partial<Observed>, object, number | undefined]>([
    ["of remembered layers, without drift", memory(starting), {}, { layersEnabled: "0/1" }, undefined],
    ["of no layers, where the answer had none", memory(undefined), {}, {}, undefined],
    ["of what is bound now", since(starting), { bound: full(enabled) }, shown, 0],
    ["of nothing that is not bound any more, which is drift", since(enabled), { bound: "none" }, forgotten, 1],
  ])("has a status %s", (_name, change, observed, expected, drifted) => {
    const { status, drift } = report(change, observed);
    expect(status).toEqual({ clusterId: CLUSTER, ...expected });
    expect(drift?.length).toBe(drifted);
  });

  it("reports no layers before the first write", () => {
    expect(report({}).conditions.map(({ type }) => type)).toEqual(["ConfigValid"]);
  });

  it("lists ten problems at most, and none in part", () => {
    const short = Array.from({ length: 13 }, (_each, index) => `spec.p${index} is wrong`);
    const unfit = 'The spec does not fit template "essentials" version "1.2.0":';
    const message = report({}, { problems: short }).conditions[0]?.message;
    expect(message).toBe(`${unfit} ${short.slice(0, 10).join("; ")}; and 3 more.`);
    const long = Array.from({ length: 9 }, (_each, index) => `spec.p${index} ${"x".repeat(280)}`);
    const cut = report({}, { problems: long }).conditions[0]?.message ?? "";
    expect(cut.length).toBeLessThanOrEqual(1024);
    expect(cut).toMatch(/; and 7 more\.$/);
  });
});
