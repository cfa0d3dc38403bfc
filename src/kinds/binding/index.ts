/** PlatformBinding: a template bound to a cluster by a repeatable PUT, checked before it is sent. */
import {
  fieldKey,
  isChangedAtSource,
  sameContent,
  type ActionResult,
  type Plan,
  type StatusReason,
  type Kind,
} from "../../engine/contract/kind.ts";
import type { BindingInput, ConfigValue } from "../../platform/areas/templates.ts";
import type { Platform } from "../../platform/index.ts";
import { alterationOf, isAltered } from "../shared/altered.ts";
import { firstOf, stalled, safely } from "../shared/checks.ts";
import { clusterNeed, clusterNotAllowed, unprovenId } from "../shared/limits.ts";
import { platformBinding, type BindingMemory } from "./crd.ts";
import { bindingDifferences, bindingDrift, isAlike } from "./drift.ts";
import { areLayersOn, shownLayers } from "./layers.ts";
import {
  type BindingContext,
  bindingInputs,
  type BindingTypes,
  type ConfigLeaf,
  type Observed,
  valueRequests,
} from "./model.ts";
import { createTemplateList, observe } from "./observe.ts";
import { configFault, isBound, layersFault, report } from "./report.ts";
import { templateFields, typed } from "./values.ts";

/** Returns the kind. It caches the template lists that it read last. */
export function createBinding(): Kind<BindingTypes> {
  const listTemplates = createTemplateList();
  return {
    resource: platformBinding,
    claim: () => undefined,
    // One resource writes the binding of a cluster. A second resource may be in another namespace.
    fieldClaims: ({ memory, inputs }) => {
      const clusterId = inputs?.clusterId ?? (memory.written === undefined ? undefined : memory.clusterId);
      return clusterId === undefined ? [] : [{ id: clusterId, field: BINDING }];
    },
    needs: (spec) => ({
      references: [clusterNeed(spec.clusterRef)],
      values: valueRequests(spec),
      inputs: (resolved) => bindingInputs(spec, resolved),
    }),
    observe: (context, api) => observe(context, api, listTemplates),
    plan,
    act: (_step, context, observed, api) => put(context, observed, api),
    trace: () => Promise.resolve({ is: "absent" }),
    report,
  };
}

/** The field of a cluster that stands for its binding. */
const BINDING = "platform binding";

function plan(context: BindingContext, observed: Observed): Plan<"put"> {
  const refused = refusal(context, observed);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (observed.cluster.listed === false) return { is: "waiting", why: noCluster(context) };
  const fault = configFault(context, observed);
  if (fault !== undefined) return { is: "stalled", why: fault };
  return firstOf(context, [
    () => checkWritten(context, observed),
    () => checkLayers(context, observed),
    () => checkRead(context, observed),
    () => checkBound(context, observed),
  ]);
}

/**
 * Writes the binding when the spec or a value changed, when the binding on the platform differs from the spec in
 * another way than after the last write, and, where only the answer shows whether the layers are enabled, on request
 * and while the platform may still enable them.
 */
function checkWritten(context: BindingContext, observed: Observed): Plan<"put"> | undefined {
  if (observed.sent) return undefined;
  const { written } = context.memory;
  if (written === undefined && isAlike(context, observed)) return undefined;
  const changed = written === undefined || !sameContent(written, context.inputs.fingerprint);
  const asksForLayers = isLookDue(context, observed);
  if (!changed && !asksForLayers && !isDrifted(context, observed)) return undefined;
  const changes = bindingDrift(context, observed) ?? [];
  const { key, version } = context.spec.template;
  const message = `Bind the template "${key}" version "${version}" to the cluster.`;
  const corrects = !changed && !asksForLayers;
  // What is repeated has been counted to the limit of mass changes.
  const follows = asksForLayers || isChangedAtSource(written, context.inputs.fingerprint);
  return safely("putBinding", "put", { message, changes, corrects, follows });
}

/** Reports whether the binding on the platform differs from the spec in another way than after the last write. */
function isDrifted(context: BindingContext, observed: Observed): boolean {
  const differences = bindingDifferences(context, observed) ?? [];
  return differences.length > 0 && !isAltered(context, differences);
}

/** Reports whether the write is to be repeated to see the layers in its answer. */
function isLookDue(context: BindingContext, observed: Observed): boolean {
  if (observed.bound !== undefined || areLayersOn(context, observed)) return false;
  return context.requested !== undefined || lookDue(context, observed) === 0;
}

/** How long after a write its layers are looked at again; the next times the pause doubles. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Returns in how many milliseconds the write is repeated to see the layers in its answer: a PUT with the same content
 * changes nothing. Undefined where a read shows them, and where waiting does not help.
 */
function lookDue(context: BindingContext, observed: Observed): number | undefined {
  const { writtenAt, repeatedAt = writtenAt, written } = context.memory;
  const waits = layersFault(context, observed)?.waits === true;
  if (observed.bound !== undefined || context.isFull || written === undefined || !waits) return undefined;
  if (writtenAt === undefined || repeatedAt === undefined) return 0;
  const pause = Math.max(LOOK_AGAIN_MS, Date.parse(repeatedAt) - Date.parse(writtenAt));
  return Math.max(0, Date.parse(repeatedAt) + pause - context.now.getTime());
}

function checkLayers(context: BindingContext, observed: Observed): Plan<"put"> | undefined {
  const layers = layersFault(context, observed);
  if (layers === undefined) return undefined;
  const { waits, reason, message } = layers;
  const again = lookDue(context, observed);
  return { is: waits ? "waiting" : "stalled", why: { reason, message }, ...(again !== undefined && { again }) };
}

function checkRead(context: BindingContext, observed: Observed): Plan<"put"> | undefined {
  if (!observed.sent || observed.bound !== undefined || !context.isFull) return undefined;
  return { is: "waiting", why: { reason: "Progressing", message: "The binding was written and is read back." } };
}

/** Reports that there is no binding, or that none is shown, where a policy forbids writing one. */
function checkBound(context: BindingContext, observed: Observed): Plan<"put"> | undefined {
  if (observed.sent || context.memory.written !== undefined || isBound(context, observed)) return undefined;
  const { clusterId } = context.inputs;
  if (observed.bound === "none") {
    const message = `No template is bound to cluster ${clusterId}, and a policy forbids binding one.`;
    return stalled("NotCreated", message);
  }
  if (observed.bound !== undefined) return undefined;
  const message = `A policy forbids binding the template, and the platform's surface does not show what cluster ${clusterId} has.`;
  return stalled("NotObservable", message);
}

function noCluster({ inputs }: BindingContext): StatusReason {
  const message = `The organization has no cluster ${inputs.clusterId}. Fix spec.clusterRef, or the connection.`;
  return { reason: "DependencyNotReady", message };
}

/** Returns why this resource may not write to the cluster at all. */
function refusal(context: BindingContext, { cluster }: Observed): StatusReason | undefined {
  const id = context.inputs.clusterId;
  const holder = context.records.holderOf(fieldKey(id, BINDING));
  if (holder !== undefined) {
    const message = `${holder} binds the cluster ${id} already. Delete one of the two.`;
    return { reason: "AlreadyManaged", message };
  }
  // A reference by name needs no check: the PlatformCluster has verified its cluster.
  const isGiven = context.spec.clusterRef.externalId !== undefined && cluster.listed === undefined;
  return clusterNotAllowed(context) ?? (isGiven ? unprovenId(context, `cluster ${id}`) : undefined);
}

async function put(
  context: BindingContext,
  observed: Observed,
  api: Platform,
): Promise<ActionResult<Observed, BindingMemory>> {
  const { spec, inputs, isFull } = context;
  const answer = await api.templates.bind(inputs.clusterId, bindingInput(context, observed));
  const bound = isFull ? answer : undefined;
  // Without an answer, the earlier binding counts: a later read shows whether the write changed it.
  const before = observed.bound === "none" ? undefined : observed.bound;
  const left = bindingDifferences(context, { ...observed, bound: bound ?? before }) ?? [];
  const { memory } = context;
  const isRepeated = memory.writtenAt !== undefined && sameContent(memory.written, inputs.fingerprint);
  const now = context.now.toISOString();
  return {
    // The answer shows the current layers, which the documented surface never shows again.
    observed: { ...observed, bound, sent: true },
    memory: {
      clusterId: inputs.clusterId,
      templateKey: spec.template.key,
      templateVersion: spec.template.version,
      layers: shownLayers(answer?.layers),
      written: inputs.fingerprint,
      writtenAt: isRepeated ? memory.writtenAt : now,
      repeatedAt: isRepeated ? now : undefined,
      altered: alterationOf(context, left),
    },
  };
}

function bindingInput({ spec, inputs }: BindingContext, { template }: Observed): BindingInput {
  const fieldOf = templateFields(template);
  const inType = (leaf: ConfigLeaf): ConfigValue => typed(fieldOf(leaf)?.type ?? "", leaf.value) ?? leaf.value;
  const leaves = [...inputs.config, ...inputs.customer];
  return {
    templateKey: spec.template.key,
    templateVersion: spec.template.version,
    layerSelections: spec.layerSelections,
    managedConfig: byComponent(inputs.config, inType),
    customerProvidedInputs: byComponent(inputs.customer, ({ value }) => String(value)),
    secrets: leaves.flatMap(({ from, value }) => (from === "Secret" ? [String(value)] : [])),
  };
}

function byComponent<T>(
  leaves: readonly ConfigLeaf[],
  valueOf: (leaf: ConfigLeaf) => T,
): Readonly<Record<string, Readonly<Record<string, T>>>> {
  const components = Map.groupBy(leaves, ({ component }) => component);
  // Object.fromEntries defines members: a key called __proto__ is one like any other.
  return Object.fromEntries(
    [...components].map(([component, of]) => [
      component,
      Object.fromEntries(of.map((leaf) => [leaf.key, valueOf(leaf)])),
    ]),
  );
}
