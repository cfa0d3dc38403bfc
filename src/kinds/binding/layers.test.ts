import { describe, expect, it } from "vitest";

import { bindingContext, bindingSpec, layer, observedBinding, template } from "../../../test/support/kinds/bindings.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { platformBinding } from "./crd.ts";
import { shownLayers, standing } from "./layers.ts";

const on = (key: string) => ({ key, status: "ENABLED" });
const off = (key: string, reason = "The layer is being enabled") => ({ key, status: "DISABLED", reason });
const skipped = (key: string) => ({ key, status: "SKIPPED", reason: "Not available on IBM" });

const failed = (key: string) => ({ key, status: "FAILED", reason: "no quota" });

const catalogue = template(
  layer("base", { mandatory: true }),
  layer("nodes", { mandatory: true, modes: ["PLATFORM_MANAGED"], providers: ["AWS"] }),
  layer("logs", { enabledByDefault: true }),
  layer("gpu"),
);

function stand(
  layers: NonNullable<Binding["layers"]>,
  change: { layerSelections?: Record<string, boolean>; listed?: boolean; provider?: string; whole?: boolean } = {},
) {
  const { layerSelections = {}, listed = true, provider, whole = true } = change;
  const kind = provider === undefined ? undefined : { mode: "PLATFORM_MANAGED", provider };
  const observed = observedBinding({
    template: listed ? { ...catalogue, ...(!whole && { isIncomplete: true }) } : undefined,
    bound: { layers },
    cluster: { listed: true, kind },
  });
  return standing(bindingContext(bindingSpec({ layerSelections })), observed);
}

describe("the standing of the layers", () => {
  const all = { off: [], unclear: [], refused: false };

  it.each<[string, Parameters<typeof stand>, ReturnType<typeof stand>]>([
    [
      "mandatory and default ones are selected, others are not",
      [[on("base"), on("nodes"), on("logs"), off("gpu")]],
      { ...all, selected: 3, enabled: 3 },
    ],
    [
      "the spec adds and takes away",
      [[on("base"), on("nodes"), off("logs"), off("gpu")], { layerSelections: { logs: false, gpu: true } }],
      { ...all, selected: 3, enabled: 2, off: ["gpu is DISABLED (The layer is being enabled)"] },
    ],
    [
      "a mandatory layer that is not for this cluster is not waited for",
      [[on("base"), off("nodes"), on("logs")], { provider: "IBM" }],
      { ...all, selected: 2, enabled: 2 },
    ],
    [
      "nor is one that the platform skips or does not report there",
      [[on("base"), skipped("nodes"), on("logs")], { provider: "IBM" }],
      { ...all, selected: 2, enabled: 2 },
    ],
    [
      "of a layer that cannot be read, the answer shows what is on and what failed, and not whether it has to be on",
      [[on("base"), on("nodes"), on("logs"), on("a"), failed("b"), skipped("c"), off("gpu")], { whole: false }],
      {
        ...all,
        selected: 6,
        enabled: 4,
        off: ["b is FAILED (no quota)"],
        unclear: ["c is SKIPPED (Not available on IBM)"],
      },
    ],
    [
      "nor one that it does not report",
      [[on("base"), on("logs")], { provider: "IBM" }],
      { ...all, selected: 2, enabled: 2 },
    ],
    [
      "unless the platform tried it all the same",
      [[on("base"), failed("nodes"), on("logs")], { provider: "IBM" }],
      { ...all, selected: 3, enabled: 2, off: ["nodes is FAILED (no quota)"] },
    ],
    [
      "a mandatory layer that applies is not to be skipped",
      [[on("base"), skipped("nodes"), on("logs")], { provider: "AWS" }],
      { ...all, selected: 3, enabled: 2, off: ["nodes is SKIPPED (Not available on IBM)"], refused: true },
    ],
    [
      "one for every cluster applies, whatever the cluster is",
      [[skipped("base"), on("nodes"), on("logs")]],
      { ...all, selected: 3, enabled: 2, off: ["base is SKIPPED (Not available on IBM)"], refused: true },
    ],
    [
      "of a cluster of an unknown kind it is unknown whether a layer is rightly skipped",
      [[on("base"), skipped("nodes"), on("logs")]],
      { ...all, selected: 3, enabled: 2, unclear: ["nodes is SKIPPED (Not available on IBM)"] },
    ],
    [
      "and of an unknown provider neither",
      [[on("base"), skipped("nodes"), on("logs")], { provider: "UNKNOWN" }],
      { ...all, selected: 3, enabled: 2, unclear: ["nodes is SKIPPED (Not available on IBM)"] },
    ],
    [
      "a mandatory layer that failed is off",
      [[failed("base"), on("nodes"), on("logs")], { provider: "AWS" }],
      { ...all, selected: 3, enabled: 2, off: ["base is FAILED (no quota)"] },
    ],
    [
      "a layer that the spec selects must not be skipped",
      [[on("base"), on("nodes"), on("logs"), skipped("gpu")], { layerSelections: { gpu: true } }],
      { ...all, selected: 4, enabled: 3, off: ["gpu is SKIPPED (Not available on IBM)"], refused: true },
    ],
    [
      "a layer that is not reported is neither on nor off",
      [[on("base"), on("nodes")]],
      { ...all, selected: 3, enabled: 2, unclear: ["logs is not reported"] },
    ],
    [
      "a status that is not documented is no ENABLED",
      [[on("base"), on("nodes"), { key: "logs", status: "WARMING" }]],
      { ...all, selected: 3, enabled: 2, off: ["logs is WARMING"] },
    ],
    [
      "of a template that is not listed any more, it is unknown what is mandatory",
      [[on("base"), off("nodes"), off("gpu", "")], { listed: false, layerSelections: { gpu: true } }],
      {
        ...all,
        selected: 3,
        enabled: 1,
        off: ["gpu is DISABLED"],
        unclear: ["nodes is DISABLED (The layer is being enabled)"],
      },
    ],
    [
      "of such a template, nothing that the spec takes away",
      [[on("base"), on("logs")], { listed: false, layerSelections: { logs: false } }],
      { ...all, selected: 1, enabled: 1 },
    ],
  ])("%s", (_name, given, expected) => {
    expect(stand(...given)).toEqual(expected);
  });

  it("is known from the last answer where the platform does not show its binding, else not at all", () => {
    const context = bindingContext();
    const remembered = { ...context, memory: { layers: [on("base"), on("nodes"), on("logs")] } };
    expect(standing(remembered, observedBinding({ template: catalogue }))).toMatchObject({ enabled: 3 });
    expect(standing(context, observedBinding({ template: catalogue }))).toBeUndefined();
    expect(standing(remembered, observedBinding({ template: catalogue, bound: "none" }))).toBeUndefined();
  });
});

describe("the layers in the status", () => {
  it("are within its bounds, whatever the platform answers", () => {
    const shown = shownLayers([
      ...Array.from({ length: 100 }, (_each, index) => ({
        key: `layer-${index}`,
        status: "E".repeat(5000),
        reason: "r".repeat(5000),
        componentKeys: Array.from({ length: 300 }, () => "c".repeat(5000)),
      })),
      { key: "layer-0", status: "DISABLED" },
    ]);
    expect(shown).toHaveLength(64);
    expect(new Set(shown?.map(({ key }) => key)).size).toBe(64);
    expect(platformBinding.status.safeParse({ layers: shown }).error).toBeUndefined();
  });

  it("leave out an empty reason", () => {
    expect(shownLayers([{ key: "a", status: "ENABLED", reason: "", componentKeys: ["c"] }])).toEqual([
      { key: "a", status: "ENABLED", componentKeys: ["c"] },
    ]);
  });
});
