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
import { platformBinding } from "./crd.ts";
import type { BindingContext, Observed } from "./model.ts";
import { report as reportOf } from "./report.ts";

describe("the report of a binding", () => {
  const context = bindingContext();
  const memory = (layers: Binding["layers"]) => ({ memory: writtenMemory(context, layers) });
  const report = (change: ContextChange<BindingContext>, observed: Partial<Observed> = {}) =>
    reportOf({ ...context, ...change }, observedBinding({ template: essentials, ...observed }));

  it("says that all is on", () => {
    expect(report(memory(enabled))).toEqual({
      ready: {
        reason: "Bound",
        message: `Cluster ${CLUSTER} has template "essentials" version "1.2.0", with every selected layer enabled.`,
      },
      conditions: [
        {
          type: "ConfigValid",
          status: "True",
          reason: "Valid",
          message: 'The spec fits template "essentials" version "1.2.0".',
        },
        {
          type: "LayersReady",
          status: "True",
          reason: "LayersEnabled",
          message: "1 of 1 selected layers are enabled.",
        },
      ],
      status: { clusterId: CLUSTER, layersEnabled: "1/1" },
    });
  });

  it("does not say that a spec fits a template of which a layer cannot be read", () => {
    const { conditions } = report(memory(enabled), { template: { ...essentials, isIncomplete: true } });
    expect(conditions[0]).toMatchObject({ type: "ConfigValid", status: "Unknown", reason: "UnexpectedResponse" });
  });

  it("reports layers as they were when the binding was written", () => {
    const { conditions, status, drift } = report(memory(starting));
    expect(conditions[1]).toMatchObject({
      type: "LayersReady",
      status: "False",
      reason: "LayersNotEnabled",
      message: expect.stringMatching(
        /^When the binding was written: base is DISABLED \(The layer is being enabled\)\. /,
      ),
    });
    expect(status).toEqual({ clusterId: CLUSTER, layersEnabled: "0/1" });
    expect(drift).toBeUndefined();
  });

  it.each<[string, Binding["layers"], Partial<Observed>, string]>([
    [
      "skips, on a cluster of an unknown kind",
      [{ key: "base", status: "SKIPPED", reason: "no GPU" }],
      { template: template(layer("base", { mandatory: true, providers: ["AWS"] })) },
      "base is SKIPPED (no GPU). Set spec.cluster to see what the cluster can have.",
    ],
    ["does not report", [], {}, "base is not reported. Set spec.cluster"],
    [
      "does not report, of a template that it does not list",
      [{ key: "base", status: "SKIPPED" }],
      { template: undefined },
      "base is SKIPPED. The platform does not list the template",
    ],
  ])("does not know of a mandatory layer that the platform %s", (_name, layers, observed, words) => {
    const { ready, conditions } = report(memory(layers), observed);
    expect(conditions[1]).toMatchObject({ type: "LayersReady", status: "Unknown", reason: "NotObservable" });
    expect(conditions[1]?.message).toContain(words);
    expect(ready.reason).toBe("Available");
    expect(ready.message).toContain(words);
  });

  it("reports layers as unknown where the answer has none", () => {
    const { ready, conditions, status } = report({ memory: writtenMemory(context, undefined) });
    expect(conditions[1]).toMatchObject({ type: "LayersReady", status: "Unknown", reason: "NotObservable" });
    const message: unknown = expect.stringContaining("does not show the state of its layers");
    expect(ready).toMatchObject({ reason: "Available", message });
    expect(status).not.toHaveProperty("layersEnabled");
  });

  it("does not report an empty list of layers as enabled", () => {
    const { ready } = report(memory([]), { template: template(layer("gpu")) });
    expect(ready).toMatchObject({ reason: "Bound", message: expect.stringContaining("with no layer selected") });
  });

  it("shows the current binding on the full surface, not the remembered one", () => {
    const { conditions, status, drift } = report({ surface: "Full", ...memory(starting) }, { bound: full(enabled) });
    expect(conditions[1]).toMatchObject({ type: "LayersReady", status: "True" });
    expect(status).toEqual({
      clusterId: CLUSTER,
      templateKey: "essentials",
      templateVersion: "1.2.0",
      layers: enabled,
      layersEnabled: "1/1",
    });
    expect(drift).toEqual([]);
  });

  it("lists layers that are off, on the full surface", () => {
    expect(report({ surface: "Full", ...memory(enabled) }, { bound: full(starting) }).conditions[1]).toEqual({
      type: "LayersReady",
      status: "False",
      reason: "LayersNotEnabled",
      message: "base is DISABLED (The layer is being enabled).",
    });
  });

  it("forgets what is not bound any more", () => {
    const { status, conditions, drift } = report({ surface: "Full", ...memory(enabled) }, { bound: "none" });
    expect(status).toEqual({
      clusterId: CLUSTER,
      templateKey: undefined,
      templateVersion: undefined,
      layers: undefined,
    });
    expect(conditions[1]).toMatchObject({ status: "False", reason: "LayersNotEnabled" });
    expect(drift).toHaveLength(1);
  });

  it("reports no layers before the first write", () => {
    expect(report({}).conditions.map(({ type }) => type)).toEqual(["ConfigValid"]);
  });

  it("only warns that a bound template is not listed any more", () => {
    const { conditions } = report(memory(enabled), { template: undefined, offered: [] });
    expect(conditions[0]).toEqual({
      type: "ConfigValid",
      status: "Unknown",
      reason: "TemplateNotAvailable",
      message:
        'The platform does not list template "essentials" as published for this organization. It lists none. It is bound, and stays so; changes are not checked before they are sent.',
    });
  });

  it("says that a template is not listed", () => {
    const { conditions } = report({}, { template: undefined, offered: [{ key: "other", version: "1" }] });
    const message: unknown = expect.stringContaining("It lists other.");
    expect(conditions[0]).toMatchObject({ status: "False", reason: "TemplateNotAvailable", message });
  });

  it("lists ten problems at most, and none in part", () => {
    const short = Array.from({ length: 13 }, (_each, index) => `spec.p${index} is wrong`);
    const message = report({}, { problems: short }).conditions[0]?.message;
    expect(message).toBe(
      `The spec does not fit template "essentials" version "1.2.0": ${short.slice(0, 10).join("; ")}; and 3 more.`,
    );
    const long = Array.from({ length: 9 }, (_each, index) => `spec.p${index} ${"x".repeat(280)}`);
    const cut = report({}, { problems: long }).conditions[0]?.message ?? "";
    expect(cut.length).toBeLessThanOrEqual(1024);
    expect(cut).toMatch(/; and 7 more\.$/);
  });

  it("has only what the status holds", () => {
    const { status } = report({ surface: "Full" }, { bound: full(enabled) });
    expect(platformBinding.status.strict().safeParse(status).error).toBeUndefined();
  });
});
