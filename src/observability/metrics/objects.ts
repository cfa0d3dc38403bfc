/** Metrics of the custom resources, counted from the cache at each scrape, so that no count has to be maintained. */
import { Counter, Gauge, type Registry } from "prom-client";

import { PAUSED } from "../../api/names.ts";
import { conditionOf, text } from "../../engine/contract/status.ts";
import { planIn } from "../../engine/policies/approval.ts";
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Change } from "../../kube/watch/store.ts";
import { isDocumentedState } from "../../platform/codec/states.ts";
import type { Figures } from "./figures.ts";

/** Only the replica that leads reports them. */
type ObjectFigures = Pick<Figures, "cache" | "kinds" | "leading" | "orphans" | "perObject">;

const READY = ["True", "False", "Unknown"] as const;

/** @returns a function that counts the changes of the cache */
export function objectMetrics(registry: Registry, figures: ObjectFigures): (change: Change) => void {
  const registers = [registry];
  const counts = new Gauge({
    name: "platform_operator_resources",
    help: "Custom resources by kind and by the status of their condition Ready",
    labelNames: ["kind", "ready"],
    registers,
    collect: () => {
      counts.reset();
      if (!figures.leading()) return;
      for (const kind of figures.kinds) {
        const states = figures.cache().list(kind).map(readiness);
        for (const ready of READY) counts.set({ kind, ready }, states.filter((state) => state === ready).length);
      }
    },
  });
  gaugeOf(registry, figures, {
    name: "platform_operator_resources_drifted",
    help: "Custom resources whose object on the platform differs from the spec now",
    holds: isDrifted,
  });
  gaugeOf(registry, figures, {
    name: "platform_operator_plans_pending",
    help: "Custom resources with a plan that waits for approval or for a change window",
    holds: hasPendingPlan,
  });
  gaugeOf(registry, figures, {
    name: "platform_operator_resources_unknown_state",
    help: "Custom resources whose object on the platform is in a state that the platform's specification does not have; such states are not distinguished: the label state is other",
    holds: hasUnknownState,
    labels: { state: "other" },
  });
  const orphaned = new Gauge({
    name: "platform_operator_orphaned_objects",
    help: "Objects that stayed on the platform when their custom resources went, as the orphan ledger has them, by kind of the resource",
    labelNames: ["kind"],
    registers,
    collect: () => {
      orphaned.reset();
      if (!figures.leading()) return;
      for (const [kind, count] of figures.orphans()) orphaned.set({ kind }, count);
    },
  });
  if (figures.perObject) infoPerObject(registry, figures);
  const drifted = new Counter({
    name: "platform_operator_drift_detected_total",
    help: "How often an object of the platform was found to differ from its custom resource",
    labelNames: ["kind"],
    registers,
  });
  for (const kind of figures.kinds) drifted.inc({ kind }, 0);
  return (change) => {
    if (change.type !== "updated" || !figures.leading()) return;
    if (isDrifted(change.object) && !isDrifted(change.old)) drifted.inc({ kind: change.object.kind });
  };
}

function isDrifted(object: KubeObject): boolean {
  return conditionOf(object, "Drifted")?.status === "True";
}

function hasPendingPlan(object: KubeObject): boolean {
  const plan = planIn(object);
  return plan !== undefined && plan.approved !== true;
}

/** Reports whether the platform reports a state for the object that its specification does not have. */
export function hasUnknownState({ status }: KubeObject): boolean {
  const state = text(member(status, "state"));
  return state !== undefined && !isDocumentedState(state);
}

interface Counted {
  readonly name: string;
  readonly help: string;
  readonly holds: (object: KubeObject) => boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Adds a gauge of the objects of each kind for which a condition holds. */
function gaugeOf(
  registry: Registry,
  { cache, kinds, leading }: ObjectFigures,
  { name, help, holds, labels = {} }: Counted,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ["kind", ...Object.keys(labels)],
    registers: [registry],
    collect: () => {
      gauge.reset();
      if (!leading()) return;
      for (const kind of kinds) gauge.set({ kind, ...labels }, cache().list(kind).filter(holds).length);
    },
  });
}

/** Label names are those of Flux's gotk_resource_info. */
function infoPerObject(registry: Registry, { cache, kinds, leading }: ObjectFigures): void {
  const info = new Gauge({
    name: "platform_operator_resource_info",
    help: "One series for each custom resource",
    labelNames: ["customresource_kind", "exported_namespace", "name", "ready", "reason", "suspended"],
    registers: [registry],
    collect: () => {
      info.reset();
      if (!leading()) return;
      for (const object of kinds.flatMap((kind) => cache().list(kind))) {
        const labels = {
          customresource_kind: object.kind,
          exported_namespace: object.metadata.namespace ?? "",
          name: object.metadata.name,
          ready: readiness(object),
          reason: conditionOf(object, "Ready")?.reason ?? "",
          suspended: String(object.metadata.annotations?.[PAUSED] === "true"),
        };
        info.set(labels, 1);
      }
    },
  });
}

function readiness(object: KubeObject): (typeof READY)[number] {
  const status = conditionOf(object, "Ready")?.status;
  return READY.find((known) => known === status) ?? "Unknown";
}
