/** The layers of a template on a cluster: which are selected, and their status. Pure. */
import type { Binding, Template, TemplateLayer } from "../../platform/areas/templates.ts";
import { cleaned } from "../../platform/codec/text.ts";
import type { BindingLayer, BindingSpec } from "./crd.ts";
import type { BindingContext, ClusterKind, Observed } from "./model.ts";

/** The documented modes of clusters; a layer that names both is for every cluster. */
const MODES = ["PLATFORM_MANAGED", "CUSTOMER_MANAGED"];

/** A provider that the platform does not know excludes no layer, and includes none. */
const UNKNOWN_PROVIDER = "UNKNOWN";

/** Bounds of the status (kinds/binding/crd.ts). */
const MAX_LAYERS = 64;
const MAX_COMPONENTS = 256;

/** Returns the spec's own selection of a layer, if any; undefined for one of another form than true and false. */
export function selectionOf(spec: BindingSpec, key: string): boolean | undefined {
  const selected = Object.hasOwn(spec.layerSelections, key) ? spec.layerSelections[key] : undefined;
  return typeof selected === "boolean" ? selected : undefined;
}

/** Returns why a layer is not for this kind of cluster, e.g. "on IBM". An empty or absent list excludes nothing. */
export function unavailable(layer: TemplateLayer, cluster: ClusterKind | undefined): string | undefined {
  if (cluster === undefined) return undefined;
  if (excludes(layer.modes, cluster.mode)) return `for ${cluster.mode} clusters`;
  const isExcluded = cluster.provider !== UNKNOWN_PROVIDER && excludes(layer.providers ?? [], cluster.provider);
  return isExcluded ? `on ${cluster.provider}` : undefined;
}

const excludes = (list: readonly string[], value: string): boolean => list.length > 0 && !list.includes(value);

/** Reports whether a layer is for this kind of cluster; undefined where the kind is not known. */
function applies(layer: TemplateLayer, cluster: ClusterKind | undefined): boolean | undefined {
  const everyProvider = (layer.providers ?? []).length === 0;
  const everyMode = MODES.every((mode) => !excludes(layer.modes, mode));
  if (cluster === undefined) return everyProvider && everyMode ? true : undefined;
  if (unavailable(layer, cluster) !== undefined) return false;
  return everyProvider || cluster.provider !== UNKNOWN_PROVIDER ? true : undefined;
}

/** Reports whether a layer is selected: by the spec, by the template, or because it is mandatory. */
export function isSelected(layer: TemplateLayer, spec: BindingSpec): boolean {
  return layer.mandatory || (selectionOf(spec, layer.key) ?? layer.enabledByDefault);
}

/** Reports whether a layer is certainly in use, so that its requirements count. */
export function isActive(layer: TemplateLayer, spec: BindingSpec, cluster: ClusterKind | undefined): boolean {
  if (!isSelected(layer, spec)) return false;
  return applies(layer, cluster) ?? selectionOf(spec, layer.key) === true;
}

/** The status of the layers that are selected, by the spec, by the template, or because they are mandatory. */
export type LayerSummary = NonNullable<ReturnType<typeof layerSummary>>;

/** Returns the status of the selected layers; undefined while nothing is known of them. */
export function layerSummary({ spec, memory }: BindingContext, { bound, template, cluster }: Observed) {
  const layers = bound === undefined ? memory.layers : bound === "none" ? undefined : bound.layers;
  if (layers === undefined) return undefined;
  const reported = new Map(layers.map((layer) => [layer.key, layer]));
  const found = candidates(spec, template, reported).flatMap(([key, layer]) => {
    const answer = reported.get(key);
    const finding = findingOf(answer?.status, expected(spec, key, layer, cluster.kind));
    return finding === "not wanted" ? [] : [{ finding, answer, text: describe(key, answer) }];
  });
  const off = found.filter(({ finding }) => finding === "off");
  return {
    selected: found.length,
    enabled: found.filter(({ finding }) => finding === "enabled").length,
    /** E.g. "gpu is SKIPPED (Not available on IBM)", for layers that are not enabled. */
    off: off.map(({ text }) => text),
    /** The same for layers of which it is unknown whether they are enabled, or should be. */
    unclear: found.filter(({ finding }) => finding === "unclear").map(({ text }) => text),
    /** Whether the platform leaves out a layer that it should not: waiting does not help. */
    refused: off.some(({ answer }) => answer?.status === "SKIPPED"),
  };
}

/** Reports whether every selected layer is known to be enabled. */
export function areLayersOn(context: BindingContext, observed: Observed): boolean {
  const summary = layerSummary(context, observed);
  return summary !== undefined && summary.enabled === summary.selected;
}

interface Reported {
  readonly status: string;
  readonly reason?: string | undefined;
}

/** Returns the layers that may have to be enabled, by key: those of the template, and of the answer. */
function candidates(
  spec: BindingSpec,
  template: Template | undefined,
  reported: ReadonlyMap<string, Reported>,
): readonly (readonly [key: string, layer: TemplateLayer | undefined])[] {
  const layers = new Map(template?.layers.map((layer) => [layer.key, layer]));
  const own = Object.keys(spec.layerSelections).filter((key) => selectionOf(spec, key) === true);
  const shown = [...layers.values()].filter((layer) => isSelected(layer, spec)).map(({ key }) => key);
  const isWhole = template !== undefined && template.isIncomplete !== true;
  const others = [...reported.keys()].filter((key) => !layers.has(key) && selectionOf(spec, key) !== false);
  return [...new Set([...own, ...shown, ...(isWhole ? [] : others)])].toSorted().map((key) => [key, layers.get(key)]);
}

/** Reports whether the layer has to be enabled on this cluster; undefined where that is not known. */
function expected(
  spec: BindingSpec,
  key: string,
  layer: TemplateLayer | undefined,
  cluster: ClusterKind | undefined,
): boolean | undefined {
  if (selectionOf(spec, key) === true) return true;
  return layer && applies(layer, cluster);
}

type Finding = "enabled" | "off" | "unclear" | "not wanted";

/**
 * Returns what the status of a layer means. The one documented status is ENABLED; a layer that is not for the cluster is SKIPPED,
 * DISABLED or not reported at all.
 */
function findingOf(status: string | undefined, isExpected: boolean | undefined): Finding {
  if (status === "ENABLED") return "enabled";
  if (status !== undefined && !LEFT_OUT.has(status)) return "off";
  if (isExpected === false) return "not wanted";
  return isExpected === undefined || status === undefined ? "unclear" : "off";
}

const LEFT_OUT: ReadonlySet<string> = new Set(["SKIPPED", "DISABLED"]);

function describe(key: string, layer: Reported | undefined): string {
  if (layer === undefined) return cleaned(`${key} is not reported`, []);
  const reason = layer.reason === undefined || layer.reason === "" ? "" : ` (${layer.reason})`;
  return cleaned(`${key} is ${layer.status}${reason}`, []);
}

/** Returns the layers as the status holds them: within its bounds, each key once. */
export function shownLayers(layers: Binding["layers"]): BindingLayer[] | undefined {
  if (layers === undefined) return undefined;
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
