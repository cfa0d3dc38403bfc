/** Builds the report of a binding, without values that may be secret. It only changes with the observed facts. Pure. */
import { refreshed, type ConditionFact, type Report, type StatusReason } from "../../engine/contract/kind.ts";
import { cleaned } from "../../platform/codec/text.ts";
import { keptAlteration } from "../shared/altered.ts";
import { bindingDifferences, bindingDrift, isAlike } from "./drift.ts";
import { shownLayers, layerSummary, type LayerSummary } from "./layers.ts";
import type { BindingContext, Observed } from "./model.ts";
import { listOf } from "./values.ts";

const LISTED_PROBLEMS = 10;
/** Leaves room in a message of 1,024 characters. */
const PROBLEMS_LENGTH = 800;

/** Returns the template of the spec, for a sentence. */
export function templateName({ spec }: BindingContext): string {
  return `template "${spec.template.key}" version "${spec.template.version}"`;
}

/** Reports whether what the spec names is bound, as far as that is known. */
export function isBound({ spec, memory }: BindingContext, { bound }: Observed): boolean {
  if (bound === "none") return false;
  const key = bound?.templateKey ?? memory.templateKey;
  const version = bound?.templateVersion ?? memory.templateVersion;
  return key === spec.template.key && version === spec.template.version;
}

/** Returns why the spec cannot be bound, by the catalog. */
export function configFault(context: BindingContext, observed: Observed): StatusReason | undefined {
  if (observed.template === undefined)
    return isBound(context, observed)
      ? undefined
      : { reason: "TemplateNotAvailable", message: notListed(context, observed) };
  if (observed.problems.length === 0) return undefined;
  const message = `The spec does not fit ${templateName(context)}: ${summary(observed.problems)}.`;
  return { reason: "InvalidSpec", message };
}

function notListed({ spec }: BindingContext, { offered }: Observed): string {
  const { key, version } = spec.template;
  const versions = offered.filter((each) => each.key === key).map((each) => each.version);
  const keys = [...new Set(offered.map((each) => each.key))];
  const what = versions.length > 0 ? `version "${version}" of template "${key}"` : `template "${key}"`;
  const others = versions.length > 0 ? versions : keys;
  const instead = others.length === 0 ? "It lists none." : `It lists ${cleaned(listOf(others.toSorted()), [])}.`;
  return `The platform does not list ${what} as published for this organization. ${instead}`;
}

/** Returns at most ten problems, as many as fit. */
function summary(problems: readonly string[]): string {
  const shown: string[] = [];
  let room = PROBLEMS_LENGTH;
  for (const problem of problems.slice(0, LISTED_PROBLEMS)) {
    room -= problem.length + 2;
    if (room < 0) break;
    shown.push(problem);
  }
  const more = problems.length - shown.length;
  return more === 0 ? shown.join("; ") : [...shown, `and ${more} more`].join("; ");
}

/** Returns why the layers are not ready. `waits`: the platform may still enable them. */
export function layersFault(
  context: BindingContext,
  observed: Observed,
): (StatusReason & { readonly waits: boolean }) | undefined {
  const summary = layerSummary(context, observed);
  if (summary === undefined || summary.off.length === 0) return undefined;
  const isShown = observed.bound !== undefined;
  const message = `${isShown ? "" : "When the binding was written: "}${listOf(summary.off)}.`;
  const advice = [
    ...(summary.refused ? [" Deselect what this cluster cannot have, or choose another template."] : []),
    ...(isShown ? [] : [summary.refused ? ASK_AGAIN : LOOKS_AGAIN]),
  ].join("");
  return { reason: "LayersNotEnabled", message: `${message}${advice}`, waits: !summary.refused };
}

const ASK_AGAIN =
  " The platform's surface does not show layers later; the annotation platform-operator.io/reconcile-requested-at " +
  "binds the template once more, which shows them.";

const LOOKS_AGAIN =
  " The platform's surface shows layers only in the answer to a write, which the operator repeats unchanged until they are enabled.";

export function report(context: BindingContext, observed: Observed): Report {
  const summary = layerSummary(context, observed);
  const drift = bindingDrift(context, observed);
  const known = context.memory.written ?? (isAlike(context, observed) ? { ...context.inputs.fingerprint } : undefined);
  const written = refreshed(known, context.inputs.fingerprint);
  return {
    ready: readyWhy(context, observed, summary),
    conditions: [configFact(context, observed), ...layersFact(context, observed, summary)],
    status: {
      clusterId: context.inputs.clusterId,
      ...boundStatus(observed),
      ...(written !== context.memory.written && { written }),
      ...leftBehind(context, observed),
      ...(summary !== undefined && { layersEnabled: `${summary.enabled}/${summary.selected}` }),
    },
    ...(drift !== undefined && { drift }),
  };
}

/** Returns the memory of what the last write left. Only a read after the write can clear it. */
function leftBehind(context: BindingContext, observed: Observed): Report["status"] {
  const differences = observed.sent ? undefined : bindingDifferences(context, observed);
  return differences === undefined ? {} : { altered: keptAlteration(context, differences) };
}

function readyWhy(context: BindingContext, observed: Observed, summary: LayerSummary | undefined): StatusReason {
  const { name } = context.spec.clusterRef;
  const cluster = name === undefined ? context.inputs.clusterId : `"${name}"`;
  const bound = `Cluster ${cluster} ${isBound(context, observed) ? "has" : "does not have"} ${templateName(context)}`;
  if (summary === undefined)
    return { reason: "NotObservable", message: `${bound}; the platform does not show the state of its layers.` };
  if (summary.unclear.length > 0)
    return { reason: "NotObservable", message: `${bound}. ${unclearLayers(summary, observed)}` };
  if (summary.selected === 0) return { reason: "Bound", message: `${bound}, with no layer selected.` };
  return { reason: "Bound", message: `${bound}, with every selected layer enabled.` };
}

function unclearLayers({ unclear }: LayerSummary, { template, cluster }: Observed): string {
  const advice = unclearAdvice(template, cluster.kind);
  return `It is not known whether these layers are enabled, or have to be: ${listOf(unclear)}. ${advice}`;
}

function unclearAdvice(template: Observed["template"], kind: Observed["cluster"]["kind"]): string {
  if (template === undefined) return "The platform does not list the template, which says what is selected.";
  if (template.isIncomplete === true) return "The platform's answer shows only a part of the template.";
  if (kind === undefined) return "Set spec.cluster to see what the cluster can have.";
  return "Look at the cluster on the platform.";
}

function configFact(context: BindingContext, observed: Observed): ConditionFact {
  const type = "ConfigValid";
  const fault = configFault(context, observed);
  if (fault !== undefined) return { type, status: "False", ...fault };
  if (observed.template?.isIncomplete === true) {
    const message = `The platform's answer shows only a part of ${templateName(context)}; the spec fits that part.`;
    return { type, status: "Unknown", reason: "UnexpectedResponse", message };
  }
  if (observed.template !== undefined) {
    const message = `The spec fits ${templateName(context)}${releaseOf(observed.template)}.`;
    return { type, status: "True", reason: "Valid", message };
  }
  const message = `${notListed(context, observed)} It is bound, and stays so; changes are not checked before they are sent.`;
  return { type, status: "Unknown", reason: "TemplateNotAvailable", message };
}

/** Says that a template is not, or no longer, for new bindings; empty for a published one. */
function releaseOf({ status }: NonNullable<Observed["template"]>): string {
  return status === "PUBLISHED" ? "" : `, which is ${cleaned(status, [])}`;
}

function layersFact(
  context: BindingContext,
  observed: Observed,
  summary: LayerSummary | undefined,
): readonly ConditionFact[] {
  const type = "LayersReady";
  const fault = layersFault(context, observed);
  if (fault !== undefined) return [{ type, status: "False", reason: fault.reason, message: fault.message }];
  if (summary === undefined) {
    if (context.memory.written === undefined) return [];
    if (observed.bound === "none")
      return [{ type, status: "False", reason: "LayersNotEnabled", message: "Nothing is bound to the cluster." }];
    const message = "The platform did not answer with its layers, and its surface does not show them.";
    return [{ type, status: "Unknown", reason: "NotObservable", message }];
  }
  if (summary.unclear.length > 0)
    return [{ type, status: "Unknown", reason: "NotObservable", message: unclearLayers(summary, observed) }];
  const message = `${summary.enabled} of ${summary.selected} selected layers are enabled.`;
  return [{ type, status: "True", reason: "LayersEnabled", message }];
}

/** Returns the members of status of an observed binding, which replace the memory. */
function boundStatus({ bound }: Observed): Report["status"] {
  if (bound === undefined) return {};
  if (bound === "none") return { templateKey: undefined, templateVersion: undefined, layers: undefined };
  const { templateKey, templateVersion, layers } = bound;
  return {
    ...(templateKey !== undefined && { templateKey: cleaned(templateKey, []) }),
    ...(templateVersion !== undefined && { templateVersion: cleaned(templateVersion, []) }),
    layers: shownLayers(layers),
  };
}
