import { describe, expect, it } from "vitest";

import { bindingContext, bindingSpec, layer, observedBinding, template } from "../../../test/support/kinds/bindings.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { platformBinding } from "./crd.ts";
import { shownLayers, standing } from "./layers.ts";

const on = (key: string) => ({ key, status: "ENABLED" });
const off = (key: string, reason = "The layer is being enabled") => ({ key, status: "DISABLED", reason });
const skipped = (key: string) => ({ key, status: "SKIPPED", reason: "Not available on IBM" });

const failed = (key: string) => ({ key, status: "FAILED", reason: "no quota" });

const catalog = template(
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
    template: listed ? { ...catalog, ...(!whole && { isIncomplete: true }) } : undefined,
    bound: { layers },
    cluster: { listed: true, kind },
  });
  return standing(bindingContext(bindingSpec({ layerSelections })), observed);
}

describe("the standing of the layers", () => {
  const all: { off: string[]; unclear: string[]; refused: boolean } = { off: [], unclear: [], refused: false };

  /** How many are selected and enabled, and what else differs from all being on. */
  const some = (selected: number, enabled: number, change: Partial<typeof all> = {}) => {
    return { ...all, selected, enabled, ...change } as ReturnType<typeof stand>;
  };
  const base = [on("base"), on("nodes"), on("logs")];
  const [IBM, AWS, UNKNOWN] = [{ provider: "IBM" }, { provider: "AWS" }, { provider: "UNKNOWN" }];
  const gpu = { layerSelections: { gpu: true } };
  const swapped = { layerSelections: { logs: false, gpu: true } };
  const withoutLogs = { listed: false, layerSelections: { logs: false } };
  const unread = [...base, on("a"), failed("b"), skipped("c"), off("gpu")];
  const isSkipped = (key: string) => [`${key} is SKIPPED (Not available on IBM)`];
  const OFF = "is DISABLED (The layer is being enabled)";

  it.each<[string, Parameters<typeof stand>, ReturnType<typeof stand>]>([
    ["mandatory and default ones are selected, others are not", [[...base, off("gpu")]], some(3, 3)],
    [
      "the spec adds and takes away",
      [[on("base"), on("nodes"), off("logs"), off("gpu")], swapped],
      some(3, 2, { off: [`gpu ${OFF}`] }),
    ],
    [
      "a mandatory layer that is not for this cluster is not waited for",
      [[on("base"), off("nodes"), on("logs")], IBM],
      some(2, 2),
    ],
    ["nor is one that the platform skips there", [[on("base"), skipped("nodes"), on("logs")], IBM], some(2, 2)],
    ["nor one that it does not report", [[on("base"), on("logs")], IBM], some(2, 2)],
    [
      "unless the platform tried it all the same",
      [[on("base"), failed("nodes"), on("logs")], IBM],
      some(3, 2, { off: ["nodes is FAILED (no quota)"] }),
    ],
    [
      "of a layer that cannot be read, the answer shows what is on and what failed, and not whether it has to be on",
      [unread, { whole: false }],
      some(6, 4, { off: ["b is FAILED (no quota)"], unclear: isSkipped("c") }),
    ],
    [
      "a mandatory layer that applies is not to be skipped",
      [[on("base"), skipped("nodes"), on("logs")], AWS],
      some(3, 2, { off: isSkipped("nodes"), refused: true }),
    ],
    [
      "one for every cluster applies, whatever the cluster is",
      [[skipped("base"), on("nodes"), on("logs")]],
      some(3, 2, { off: isSkipped("base"), refused: true }),
    ],
    [
      "of a cluster of an unknown kind it is unknown whether a layer is rightly skipped",
      [[on("base"), skipped("nodes"), on("logs")]],
      some(3, 2, { unclear: isSkipped("nodes") }),
    ],
    [
      "and of an unknown provider neither",
      [[on("base"), skipped("nodes"), on("logs")], UNKNOWN],
      some(3, 2, { unclear: isSkipped("nodes") }),
    ],
    [
      "a mandatory layer that failed is off",
      [[failed("base"), on("nodes"), on("logs")], AWS],
      some(3, 2, { off: ["base is FAILED (no quota)"] }),
    ],
    [
      "a layer that the spec selects must not be skipped",
      [[...base, skipped("gpu")], gpu],
      some(4, 3, { off: isSkipped("gpu"), refused: true }),
    ],
    [
      "a layer that is not reported is neither on nor off",
      [[on("base"), on("nodes")]],
      some(3, 2, { unclear: ["logs is not reported"] }),
    ],
    [
      "a status that is not documented is no ENABLED",
      [[on("base"), on("nodes"), { key: "logs", status: "WARMING" }]],
      some(3, 2, { off: ["logs is WARMING"] }),
    ],
    [
      "of a template that is not listed any more, it is unknown what is mandatory",
      [[on("base"), off("nodes"), off("gpu", "")], { listed: false, ...gpu }],
      some(3, 1, { off: ["gpu is DISABLED"], unclear: [`nodes ${OFF}`] }),
    ],
    ["of such a template, nothing that the spec takes away", [[on("base"), on("logs")], withoutLogs], some(1, 1)],
  ])("%s", (_name, given, expected) => {
    expect(stand(...given)).toEqual(expected);
  });

  it("is known from the last answer where the platform does not show its binding, else not at all", () => {
    const context = bindingContext();
    const remembered = { ...context, memory: { layers: [on("base"), on("nodes"), on("logs")] } };
    expect(standing(remembered, observedBinding({ template: catalog }))).toMatchObject({ enabled: 3 });
    expect(standing(context, observedBinding({ template: catalog }))).toBeUndefined();
    expect(standing(remembered, observedBinding({ template: catalog, bound: "none" }))).toBeUndefined();
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
