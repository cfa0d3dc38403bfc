/**
 * Builds a kind of services: of what has a name in an environment, settings, and a state that deployments change. Such
 * kinds plan and report alike, and their declarations hold what is their own (docs/architecture.md §3).
 */
import type { Kind, KindOperations, Plan, ReconcileContext, ResolvedNeeds } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { firstOf } from "../shared/checks.ts";
import { environmentNeed } from "../shared/limits.ts";
import type { Listed } from "../shared/names.ts";
import { variableRequests } from "../shared/variables.ts";
import { checkIdentity, checkPlace, planNew, planRemoval } from "./identity.ts";
import type { Neighbours, Sight, ServiceKind, ServiceSeen, ServiceTypes } from "./model.ts";
import { mayBeOver, placeOf, requestOf } from "./observe.ts";
import { report } from "./report.ts";
import { checkSettings } from "./steps.ts";

/** What is read first of every service. */
export interface Start<K extends ServiceTypes, Item extends Listed> {
  /** The parents; nothing else is observed yet. */
  readonly place: K["observed"];
  readonly request: Sight["request"];
  /** Reads may not be shared with earlier reconciles. */
  readonly isFresh: boolean;
  /** "gone": the environment is gone, and with it its services. */
  readonly listed: Neighbours<Item> | "gone";
}

/** What a kind of services declares of its own. */
export interface ServiceDeclaration<K extends ServiceTypes, Item extends Listed>
  extends
    ServiceKind<K, Item>,
    Pick<
      Kind<K>,
      | "resource"
      | "act"
      | "trace"
      | "shows"
      | "prepare"
      | "keep"
      | "fieldOwnership"
      | "recordAction"
      | "notObservableAfterwards"
    > {
  /** What is seen before anything was read. */
  readonly nothingSeen: K["observed"];
  /** See `Kind.operations`. */
  capabilities(spec: K["spec"]): KindOperations;
  inputs(spec: K["spec"], resolved: ResolvedNeeds): K["inputs"];
  /** Lists the services of the environment. @throws ApiError */
  list(context: ReconcileContext<K>, isFresh: boolean, api: Platform): Promise<Neighbours<Item> | "gone">;
  /** Reads the state. `serverNow` is added. @throws ApiError */
  observe(context: ReconcileContext<K>, start: Start<K, Item>, api: Platform): Promise<K["observed"]>;
}

export function defineService<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: ServiceDeclaration<K, Item>,
): Kind<K> {
  return {
    ...kind,
    externalLifecycle: true,
    claim: (spec) => spec.externalId,
    operations: (spec) => kind.capabilities(spec),
    listable: (supports) => supports(kind.operations.list) !== "Unsupported",
    needs: (spec) => ({
      references: [environmentNeed(spec.environmentRef)],
      values: variableRequests(spec.variables ?? []),
      inputs: (resolved) => kind.inputs(spec, resolved),
    }),
    observe: (context, api) => observe(kind, context, api),
    plan: (context, seen) => plan(kind, context, seen),
    report: (context, seen) => report(kind, context, seen),
  };
}

async function observe<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: ServiceDeclaration<K, Item>,
  context: ReconcileContext<K>,
  api: Platform,
): Promise<K["observed"]> {
  const place = { ...kind.nothingSeen, ...(await placeOf(context, api)) };
  if (!place.environmentIsOurs) return place;
  // First: a state that was read before the request ended would be reported as the end.
  const request = await requestOf(context, api);
  const isFresh = context.requested !== undefined || mayBeOver(context, request);
  const listed = await kind.list(context, isFresh, api);
  const seen = await kind.observe(context, { place, request, isFresh, listed }, api);
  return { ...seen, serverNow: api.serverNow() };
}

/** Returns the next step. */
function plan(
  kind: ServiceKind,
  context: ReconcileContext<ServiceTypes>,
  seen: ServiceSeen,
): Plan<ServiceTypes["action"]> {
  const { goal, id } = context;
  if (goal !== "present") return kind.planRemoval?.(context, seen) ?? planRemoval(kind, context, seen);
  const found =
    checkPlace(context, seen) ??
    (id === undefined ? planNew(kind, context, seen) : checkIdentity(kind, context, seen, id));
  if (found?.is === "adopt") {
    const record = seen.siblings?.find((one) => one.id === found.id);
    const refused = kind.checkAdoption?.(context, record, found.id);
    return refused === undefined ? found : { is: "stalled", why: refused };
  }
  return (
    found ??
    firstOf(context, [
      () => checkSettings(kind, context, seen),
      ...kind.checks(context, seen, kind.progress(context, seen)),
    ])
  );
}
