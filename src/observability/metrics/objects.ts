/**
 * Metrics of the custom resources. The gauges are counted from the cache at each scrape, so that no count has to be
 * maintained.
 */
import type { Registry } from "prom-client";

import { isPaused } from "../../api/paused.ts";
import { CONNECTION_KINDS } from "../../config/kinds.ts";
import { conditionOf, nonEmptyText } from "../../engine/contract/status.ts";
import { planIn } from "../../engine/policies/policy-status.ts";
import { member } from "../../kube/api/json.ts";
import type { Cache, KubeObject } from "../../kube/api/types.ts";
import type { StoreChange } from "../../kube/watch/store.ts";
import { isDocumentedState } from "../../platform/codec/states.ts";
import { instruments } from "./instruments.ts";

/** The sources of these metrics; functions are called at each scrape. */
export interface ObjectFigures {
  readonly kinds: readonly string[];
  readonly cache: () => Cache;
  readonly leading: () => boolean;
  /** Kind → the number of objects that stayed on the platform when their resources were deleted. */
  readonly orphans: () => readonly { readonly kind: string; readonly why: string }[];
  /** Whether to serve a series for each object. */
  readonly perObject: boolean;
}

const READY = ["True", "False", "Unknown"] as const;
/** The largest number of connections with a series: a user must not create endless series with connections. */
const MAX_CONNECTIONS = 1_000;

/** @returns a function that counts the changes of the cache */
export function objectMetrics(registry: Registry, figures: ObjectFigures): (change: StoreChange) => void {
  const { kinds, cache, leading, orphans } = figures;
  const { counter, collectedGauge } = instruments(registry, leading);
  const count = (kind: string, holds: (object: KubeObject) => boolean): number =>
    cache().list(kind).filter(holds).length;
  collectedGauge("platform_operator_resources", ["kind", "ready"], (gauge) => {
    for (const kind of kinds) {
      const states = cache().list(kind).map(readiness);
      for (const ready of READY) gauge.set({ kind, ready }, states.filter((state) => state === ready).length);
    }
  });
  collectedGauge("platform_operator_connection_up", ["kind", "exported_namespace", "name"], (gauge) => {
    const up = Object.values(CONNECTION_KINDS)
      .flatMap((kind) => cache().list(kind))
      .filter((object) => !isPaused(object))
      .map((object) => ({ object, up: Number(readiness(object) === "True") }))
      .toSorted((left, right) => left.up - right.up);
    for (const { object, up: value } of up.slice(0, MAX_CONNECTIONS)) {
      const { namespace = "", name } = object.metadata;
      gauge.set({ kind: object.kind, exported_namespace: namespace, name }, value);
    }
  });
  collectedGauge("platform_operator_resources_drifted", ["kind"], (gauge) => {
    for (const kind of kinds) gauge.set({ kind }, count(kind, isDrifted));
  });
  collectedGauge("platform_operator_plans_pending", ["kind"], (gauge) => {
    for (const kind of kinds) gauge.set({ kind }, count(kind, hasPendingPlan));
  });
  collectedGauge("platform_operator_resources_unknown_state", ["kind", "state"], (gauge) => {
    for (const kind of kinds) gauge.set({ kind, state: "other" }, count(kind, hasUnknownState));
  });
  collectedGauge("platform_operator_orphaned_objects", ["kind", "reason"], (gauge) => {
    for (const { kind, why } of orphans()) gauge.inc({ kind, reason: why });
  });
  if (figures.perObject) {
    collectedGauge(
      "platform_operator_resource_info",
      ["customresource_kind", "exported_namespace", "name", "ready", "reason", "suspended"],
      (gauge) => {
        for (const object of kinds.flatMap((kind) => cache().list(kind))) gauge.set(infoOf(object), 1);
      },
    );
  }
  const drifted = counter("platform_operator_drift_detected_total", ["kind"]);
  for (const kind of kinds) drifted.inc({ kind }, 0);
  return (change) => {
    if (change.type !== "updated" || !leading()) return;
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

/** Reports whether the object's state on the platform is not in the platform's specification. */
export function hasUnknownState({ status }: KubeObject): boolean {
  const state = nonEmptyText(member(status, "state"));
  return state !== undefined && !isDocumentedState(state);
}

/** Returns labels with the names of Flux's gotk_resource_info. */
function infoOf(object: KubeObject) {
  return {
    customresource_kind: object.kind,
    exported_namespace: object.metadata.namespace ?? "",
    name: object.metadata.name,
    ready: readiness(object),
    reason: conditionOf(object, "Ready")?.reason ?? "",
    suspended: String(isPaused(object)),
  };
}

function readiness(object: KubeObject): (typeof READY)[number] {
  const status = conditionOf(object, "Ready")?.status;
  return READY.find((known) => known === status) ?? "Unknown";
}
