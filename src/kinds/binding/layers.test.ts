import { describe, expect, it } from "vitest";

import { bindingContext, bindingSpec, layer, observedBinding, template } from "../../../test/support/kinds/bindings.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { platformBinding } from "./crd.ts";
import { shownLayers, layerSummary } from "./layers.ts";

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

function summaryOf(
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
  return layerSummary(bindingContext(bindingSpec({ layerSelections })), observed);
}

describe("the summary of the layers", () => {
  const all: { off: string[]; unclear: string[]; refused: boolean } = { off: [], unclear: [], refused: false };

  /** How many are selected and enabled, and what else differs from all being on. */
  const some = (selected: number, enabled: number, change: Partial<typeof all> = {}) => {
    return { ...all, selected, enabled, ...change } as ReturnType<typeof summaryOf>;
  };
  const [base, nodes, logs] = [on("base"), on("nodes"), on("logs")];
  const allOn = [base, nodes, logs];
  const [IBM, AWS, UNKNOWN] = [{ provider: "IBM" }, { provider: "AWS" }, { provider: "UNKNOWN" }];
  const gpu = { layerSelections: { gpu: true } };
  const swapped = { layerSelections: { logs: false, gpu: true } };
  const withoutLogs = { listed: false, layerSelections: { logs: false } };
  const unread = [...allOn, on("a"), failed("b"), skipped("c"), off("gpu")];
  const isSkipped = (key: string) => [`${key} is SKIPPED (Not available on IBM)`];
  const hasFailed = (key: string) => [`${key} is FAILED (no quota)`];
  const refused = (key: string) => ({ off: isSkipped(key), refused: true });
  const warming = { key: "logs", status: "WARMING" };
  const unlisted = { listed: false, ...gpu };
  const OFF = "is DISABLED (The layer is being enabled)";
  const SKIPPED_NODES = some(3, 2, { unclear: isSkipped("nodes") });
  const unlistedLayers = [base, off("nodes"), off("gpu", "")];
  const UNREAD = some(6, 4, { off: hasFailed("b"), unclear: isSkipped("c") });
  const UNLISTED = some(3, 1, { off: ["gpu is DISABLED"], unclear: [`nodes ${OFF}`] });

  it.each<[string, Parameters<typeof summaryOf>, ReturnType<typeof summaryOf>]>([
    ["mandatory and default ones are selected, others are not", [[...allOn, off("gpu")]], some(3, 3)],
    ["the spec changes that", [[base, nodes, off("logs"), off("gpu")], swapped], some(3, 2, { off: [`gpu ${OFF}`] })],
    ["a mandatory layer that is not for this cluster is not waited for", [[base, off("nodes"), logs], IBM], some(2, 2)],
    ["nor is one that the platform skips there", [[base, skipped("nodes"), logs], IBM], some(2, 2)],
    ["nor one that it does not report", [[base, logs], IBM], some(2, 2)],
    ["unless it was tried all the same", [[base, failed("nodes"), logs], IBM], some(3, 2, { off: hasFailed("nodes") })],
    // The answer shows what is on and what failed, and not whether it has to be on.
    ["of a layer that cannot be read, only the answer counts", [unread, { whole: false }], UNREAD],
    ["a mandatory layer is not to be skipped", [[base, skipped("nodes"), logs], AWS], some(3, 2, refused("nodes"))],
    ["one for every cluster never is", [[skipped("base"), nodes, logs]], some(3, 2, refused("base"))],
    ["of a cluster of an unknown kind it is unknown", [[base, skipped("nodes"), logs]], SKIPPED_NODES],
    ["and of an unknown provider neither", [[base, skipped("nodes"), logs], UNKNOWN], SKIPPED_NODES],
    ["a selected layer is not to be skipped", [[...allOn, skipped("gpu")], gpu], some(4, 3, refused("gpu"))],
    ["one not reported is neither on nor off", [[base, nodes]], some(3, 2, { unclear: ["logs is not reported"] })],
    ["an undocumented status is no ENABLED", [[base, nodes, warming]], some(3, 2, { off: ["logs is WARMING"] })],
    ["of an unlisted template, what is mandatory is unknown", [unlistedLayers, unlisted], UNLISTED],
    ["of such a template, nothing that the spec takes away", [[base, logs], withoutLogs], some(1, 1)],
  ])("%s", (_name, given, expected) => {
    expect(summaryOf(...given)).toEqual(expected);
  });

  it("is known from the last answer where the platform does not show its binding, else not at all", () => {
    const context = bindingContext();
    const remembered = { ...context, memory: { layers: [on("base"), on("nodes"), on("logs")] } };
    expect(layerSummary(remembered, observedBinding({ template: catalog }))).toMatchObject({ enabled: 3 });
    expect(layerSummary(context, observedBinding({ template: catalog }))).toBeUndefined();
    expect(layerSummary(remembered, observedBinding({ template: catalog, bound: "none" }))).toBeUndefined();
  });
});

it("the layers in the status are within its bounds, whatever the platform answers, without an empty reason", () => {
  const [status, reason] = ["E".repeat(5000), "r".repeat(5000)];
  const componentKeys = Array.from({ length: 300 }, () => "c".repeat(5000));
  const keys = Array.from({ length: 100 }, (_each, index) => `layer-${index}`);
  const wide = keys.map((key) => ({ key, status, reason }));
  const again = { key: "layer-1", status: "DISABLED" };
  const shown = shownLayers([{ key: "first", status, componentKeys }, ...wide, again]);
  expect(shown).toHaveLength(64);
  expect(new Set(shown?.map(({ key }) => key)).size).toBe(64);
  expect(platformBinding.status.safeParse({ layers: shown }).error).toBeUndefined();
  const one = { key: "a", status: "ENABLED", componentKeys: ["c"] };
  expect(shownLayers([{ ...one, reason: "" }])).toEqual([one]);
});
