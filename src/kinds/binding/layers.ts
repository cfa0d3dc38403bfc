/** The layers of a template on a cluster: which are selected, and how they stand. Pure. */
import type { Binding, Template, TemplateLayer } from "../../platform/templates.ts";
import { cleaned } from "../../platform/text.ts";
import type { BindingLayer, BindingSpec } from "../../resources/binding.ts";
import type { BindingPass, ClusterKind, Seen } from "./model.ts";

/** The documented modes of clusters; a layer that names both is for every cluster. */
const MODES = ["PLATFORM_MANAGED", "CUSTOMER_MANAGED"];

/** Bounds of the status (resources/binding.ts). */
const MAX_LAYERS = 64;
const MAX_COMPONENTS = 256;

/** What the spec says of a layer itself: select, deselect, nothing. */
export function selectionOf(spec: BindingSpec, key: string): boolean | undefined {
  return Object.hasOwn(spec.layerSelections, key) ? spec.layerSelections[key] : undefined;
}

/** Why a layer is not for this kind of cluster, e.g. "on IBM". A list that is empty or absent excludes nothing. */
export function unavailable(layer: TemplateLayer, cluster: ClusterKind | undefined): string | undefined {
  if (cluster === undefined) return undefined;
  if (excludes(layer.modes, cluster.mode)) return `for ${cluster.mode} clusters`;
  return excludes(layer.providers ?? [], cluster.provider) ? `on ${cluster.provider}` : undefined;
}

const excludes = (list: readonly string[], value: string): boolean => list.length > 0 && !list.includes(value);

/** Whether a layer is selected: by the spec, by the template, or because it is mandatory. */
export function isSelected(layer: TemplateLayer, spec: BindingSpec): boolean {
  return layer.mandatory || (selectionOf(spec, layer.key) ?? layer.enabledByDefault);
}

/** Whether a layer is certainly in use, so that what it requires is missed. */
export function isActive(layer: TemplateLayer, spec: BindingSpec, cluster: ClusterKind | undefined): boolean {
  if (!isSelected(layer, spec)) return false;
  if (cluster !== undefined) return unavailable(layer, cluster) === undefined;
  const everywhere = MODES.every((mode) => !excludes(layer.modes, mode)) && (layer.providers ?? []).length === 0;
  return everywhere || selectionOf(spec, layer.key) === true;
}

/** How the selected layers stand. */
export interface Standing {
  readonly selected: number;
  readonly enabled: number;
  /** "gpu is SKIPPED (Not available on IBM)", of selected layers that are not enabled. */
  readonly others: readonly string[];
  /** Whether the platform leaves out a layer that the spec selects itself: waiting will not help. */
  readonly refused: boolean;
}

/** @returns undefined while nothing is known of the layers */
export function standing({ spec, memory }: BindingPass, { bound, template, cluster }: Seen): Standing | undefined {
  const layers = bound === undefined ? memory.layers : bound === "none" ? undefined : bound.layers;
  if (layers === undefined) return undefined;
  const reported = new Map(layers.map((layer) => [layer.key, layer]));
  const selected = selectedKeys(spec, template, cluster.kind, reported);
  const others = selected.filter((key) => reported.get(key)?.status !== "ENABLED");
  return {
    selected: selected.length,
    enabled: selected.length - others.length,
    others: others.map((key) => describe(key, reported.get(key))),
    refused: others.some((key) => selectionOf(spec, key) === true && reported.get(key)?.status === "SKIPPED"),
  };
}

interface Reported {
  readonly status: string;
  readonly reason?: string | undefined;
}

/** A layer that is selected by default only, and that the platform leaves out on this cluster, is not waited for. */
function selectedKeys(
  spec: BindingSpec,
  template: Template | undefined,
  cluster: ClusterKind | undefined,
  reported: ReadonlyMap<string, Reported>,
): readonly string[] {
  const own = Object.keys(spec.layerSelections).filter((key) => selectionOf(spec, key) === true);
  const byDefault =
    template === undefined
      ? [...reported.keys()].filter(
          (key) => reported.get(key)?.status === "ENABLED" && selectionOf(spec, key) !== false,
        )
      : template.layers
          .filter((layer) => isSelected(layer, spec) && unavailable(layer, cluster) === undefined)
          .map(({ key }) => key)
          .filter((key) => reported.get(key)?.status !== "SKIPPED");
  return [...new Set([...own, ...byDefault])].toSorted();
}

function describe(key: string, layer: Reported | undefined): string {
  if (layer === undefined) return cleaned(`${key} is not mentioned`, []);
  const reason = layer.reason === undefined || layer.reason === "" ? "" : ` (${layer.reason})`;
  return cleaned(`${key} is ${layer.status}${reason}`, []);
}

/** The layers as the status holds them: within its bounds, each key once. */
export function shownLayers(layers: Binding["layers"]): BindingLayer[] {
  const byKey = new Map(layers.map((layer) => [cleaned(layer.key, []), layer]));
  return [...byKey].slice(0, MAX_LAYERS).map(([key, { status, reason, componentKeys }]) => ({
    key,
    status: cleaned(status, []),
    ...(reason !== undefined && reason !== "" && { reason: cleaned(reason, []) }),
    ...(componentKeys !== undefined && {
      componentKeys: componentKeys.slice(0, MAX_COMPONENTS).map((component) => cleaned(component, [])),
    }),
  }));
}
