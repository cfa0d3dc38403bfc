import { describe, expect, it } from "vitest";

import { bindingPass, bindingSeen, bindingSpec, layer, template } from "../../../test/support/bindings.ts";
import type { Binding } from "../../platform/templates.ts";
import { platformBinding } from "../../resources/binding.ts";
import { shownLayers, standing } from "./layers.ts";

const on = (key: string) => ({ key, status: "ENABLED" });
const off = (key: string, reason = "The layer is being enabled") => ({ key, status: "DISABLED", reason });
const skipped = (key: string) => ({ key, status: "SKIPPED", reason: "Not available on IBM" });

const catalogue = template(
  layer("base", { mandatory: true }),
  layer("nodes", { mandatory: true, modes: ["PLATFORM_MANAGED"], providers: ["AWS"] }),
  layer("logs", { enabledByDefault: true }),
  layer("gpu"),
);

function stand(
  layers: Binding["layers"],
  change: { layerSelections?: Record<string, boolean>; listed?: boolean; provider?: string } = {},
) {
  const { layerSelections = {}, listed = true, provider } = change;
  const kind = provider === undefined ? undefined : { mode: "PLATFORM_MANAGED", provider };
  const seen = bindingSeen({
    template: listed ? catalogue : undefined,
    bound: { layers },
    cluster: { listed: true, kind },
  });
  return standing(bindingPass(bindingSpec({ layerSelections })), seen);
}

describe("the standing of the layers", () => {
  it.each<[string, Parameters<typeof stand>, ReturnType<typeof stand>]>([
    [
      "mandatory and default ones are selected, others are not",
      [[on("base"), on("nodes"), on("logs"), off("gpu")]],
      { selected: 3, enabled: 3, others: [], refused: false },
    ],
    [
      "the spec adds and takes away",
      [[on("base"), on("nodes"), off("logs"), off("gpu")], { layerSelections: { logs: false, gpu: true } }],
      { selected: 3, enabled: 2, others: ["gpu is DISABLED (The layer is being enabled)"], refused: false },
    ],
    [
      "a layer that is not for this cluster is not waited for",
      [[on("base"), off("nodes"), on("logs")], { provider: "IBM" }],
      { selected: 2, enabled: 2, others: [], refused: false },
    ],
    [
      "nor one that the platform leaves out by itself",
      [[on("base"), skipped("nodes"), on("logs")]],
      { selected: 2, enabled: 2, others: [], refused: false },
    ],
    [
      "but one that the spec selects is",
      [[on("base"), on("nodes"), on("logs"), skipped("gpu")], { layerSelections: { gpu: true } }],
      { selected: 4, enabled: 3, others: ["gpu is SKIPPED (Not available on IBM)"], refused: true },
    ],
    [
      "a layer that is not answered is not enabled",
      [[on("base"), on("nodes")]],
      { selected: 3, enabled: 2, others: ["logs is not mentioned"], refused: false },
    ],
    [
      "a status that is not documented is no ENABLED",
      [[on("base"), on("nodes"), { key: "logs", status: "WARMING" }]],
      { selected: 3, enabled: 2, others: ["logs is WARMING"], refused: false },
    ],
    [
      "of a template that is not listed any more, what is on and what the spec selects",
      [[on("base"), off("nodes"), off("gpu", "")], { listed: false, layerSelections: { gpu: true } }],
      { selected: 2, enabled: 1, others: ["gpu is DISABLED"], refused: false },
    ],
    [
      "of such a template, nothing that the spec takes away",
      [[on("base"), on("logs")], { listed: false, layerSelections: { logs: false } }],
      { selected: 1, enabled: 1, others: [], refused: false },
    ],
  ])("%s", (_name, given, expected) => {
    expect(stand(...given)).toEqual(expected);
  });

  it("is known from the last answer where the platform does not show its binding, else not at all", () => {
    const pass = bindingPass();
    const remembered = { ...pass, memory: { layers: [on("base"), on("nodes"), on("logs")] } };
    expect(standing(remembered, bindingSeen({ template: catalogue }))).toMatchObject({ enabled: 3 });
    expect(standing(pass, bindingSeen({ template: catalogue }))).toBeUndefined();
    expect(standing(remembered, bindingSeen({ template: catalogue, bound: "none" }))).toBeUndefined();
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
    expect(new Set(shown.map(({ key }) => key)).size).toBe(64);
    expect(platformBinding.status.safeParse({ layers: shown }).error).toBeUndefined();
  });

  it("leave out an empty reason", () => {
    expect(shownLayers([{ key: "a", status: "ENABLED", reason: "", componentKeys: ["c"] }])).toEqual([
      { key: "a", status: "ENABLED", componentKeys: ["c"] },
    ]);
  });
});
