/**
 * Builds a kind of services. A service has a name in an environment, settings, and a state that deployments change. The
 * declaration of a kind has what differs from other services (docs/architecture.md §3).
 */
import type {
  ActionResult,
  DriftField,
  JsonObject,
  Kind,
  KindOperations,
  OpenIntent,
  Plan,
  ReconcileContext,
  ResolvedNeeds,
  Trace,
  Uuid,
  Why,
} from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { firstOf } from "../shared/checks.ts";
import { environmentNeed } from "../shared/limits.ts";
import type { ListedObject } from "../shared/names.ts";
import { withRunSchedule } from "../shared/run-schedule.ts";
import { variableRequests } from "../shared/variables.ts";
import { act } from "./act.ts";
import type { ServiceFailure } from "./crd-status.ts";
import { type FailureLog, readFailureLog } from "./failure.ts";
import { adoptable, checkIdentity, checkPlace, planNew, planServiceRemoval } from "./identity.ts";
import type {
  Neighbours,
  ServiceArea,
  ServiceContext,
  ServiceNames,
  ServiceObserved,
  ServiceReport,
  ServiceTypes,
  Start,
} from "./model.ts";
import { observeService } from "./observe.ts";
import { type Progress, progressIn } from "./progress.ts";
import { report, observedRunState } from "./report.ts";
import type { ServiceSetting } from "./settings.ts";
import { checkSettings } from "./steps.ts";
import { traceService } from "./trace.ts";

/** "unshown" where the platform does not show the service. */
export type TracedStatus = ServiceStatus | "unshown" | undefined;

type Folded<K extends ServiceTypes> = ActionResult<K["observed"], K["memory"]>;
type Traced<K extends ServiceTypes> = Trace<K["observed"], K["memory"]>;

/** The declaration of a kind of services. Where an optional member is absent, the kind behaves like every service. */
export interface ServiceKind<K extends ServiceTypes = ServiceTypes, Item extends ListedObject = ListedObject>
  extends
    ServiceNames,
    Pick<Kind<K>, "resource" | "remote" | "shows" | "prepare" | "keep" | "adopted" | "fieldClaims"> {
  /** What was done to a service is not shown afterwards on the surface Documented. */
  readonly notObservableAfterwards?: true;
  readonly settings: readonly ServiceSetting<K["spec"], Item>[];
  /** What is observed before anything was read. */
  readonly nothingObserved: K["observed"];
  /** Absent for services on which the platform offers no operation. */
  area?(api: Platform): ServiceArea<K["spec"], Item>;
  /** The operations that changing and deleting need; a stop needs only its own. */
  readonly needed: Pick<KindOperations, "update" | "delete">;
  inputs(spec: K["spec"], resolved: ResolvedNeeds): K["inputs"];

  /** Lists the services of the environment. @throws ApiError */
  list?(context: ReconcileContext<K>, isFresh: boolean, api: Platform): Promise<Neighbours<Item> | "gone">;
  /** Reads the state. `serverNow` is added. @throws ApiError */
  observe(context: ReconcileContext<K>, start: Start<K, Item>, api: Platform): Promise<K["observed"]>;
  /** Reports whether the platform shows the service. */
  isShown?(context: ReconcileContext<K>, observed: K["observed"]): boolean;
  /** Returns how the work on the service is going; undefined where nothing shows it. */
  progress?(context: ReconcileContext<K>, observed: K["observed"]): Progress | undefined;
  /** Returns the last deployment, with what was observed of it. */
  followed(context: ReconcileContext<K>, observed: K["observed"]): K["memory"]["lastDeployment"];

  /** Returns why no service may be created. */
  checkNew?(context: ReconcileContext<K>): Why | undefined;
  /** Returns members of the baseline of a create, beside names. */
  createMark?(context: ReconcileContext<K>): JsonObject;
  /** Returns the plan for an id that the platform does not show; undefined for the usual one. */
  checkMissing?(context: ReconcileContext<K>, observed: K["observed"], id: Uuid): Plan<never> | undefined;
  /** Returns the checks of an existing service, which follow the check of its settings; the first difference wins. */
  checks(context: ReconcileContext<K>, observed: K["observed"], progress: Progress | undefined): Checks<K["action"]>;
  /**
   * Reports whether a user changed what the service is to get, outside of its spec. Then no step counts to the limit of
   * mass changes, whatever else changed.
   */
  isChangedByUser?(context: ReconcileContext<K>, observed: K["observed"]): boolean;
  /** Returns the plan for the goals "stopped" and "absent". */
  planRemoval?(context: ReconcileContext<K>, observed: K["observed"]): Plan<K["action"]>;

  /** Sends the request of a step. @param shared sends it as for every service @throws ApiError */
  act?(
    step: K["action"],
    context: ReconcileContext<K>,
    observed: K["observed"],
    api: Platform,
    shared: (context: ReconcileContext<K>) => Promise<Folded<K>>,
  ): Promise<Folded<K>>;
  /** Returns the memory of a service that was just created; `context` has what was written. */
  created?(context: ReconcileContext<K>, observed: K["observed"], made: Item, api: Platform): K["memory"] | undefined;
  /** Returns the kind's members of the memory of a deployment that starts now. */
  deploymentOf?(context: ReconcileContext<K>): Partial<K["memory"]["lastDeployment"]>;
  /** Returns the members of memory that change when another deployment replaces `last`, as it is known now. */
  replaced?(memory: K["memory"], last: K["memory"]["lastDeployment"]): Partial<K["memory"]>;
  /** Returns the kind's members of what is known once a request to deploy or to stop was accepted. */
  ordered?(
    context: ReconcileContext<K>,
    what: "deploy" | "stop",
    answer: ServiceStatus | undefined,
  ): { readonly observed: Partial<K["observed"]>; readonly memory: Partial<K["memory"]> };
  /** Traces a create otherwise than by the list of the area. @throws ApiError */
  traceCreate?(intent: OpenIntent, context: ReconcileContext<K>, api: Platform): Promise<Traced<K>>;
  /** Reads the service afresh, to trace a request; "unshown" where the platform does not show it. @throws ApiError */
  statusOf?(intent: OpenIntent, context: ReconcileContext<K>, api: Platform): Promise<TracedStatus>;
  /** Returns the result of the trace of a request to a service that is not shown. */
  unconfirmed?(intent: OpenIntent, context: ReconcileContext<K>): Traced<K>;

  ready(context: ReconcileContext<K>, observed: K["observed"]): Why;
  /** Returns the part of the report that does not need a recorded service. */
  reportAlways?(context: ReconcileContext<K>, observed: K["observed"]): ServiceReport;
  /** Returns the kind's part of the report of a recorded service. */
  report(context: ReconcileContext<K>, observed: K["observed"]): ServiceReport;
  /** Returns the memory of a failure in this state, without its time. */
  failure?(context: ReconcileContext<K>, observed: K["observed"], state: string): ServiceFailure;
  readonly failureLog?: FailureLog<K>;
  /** Returns drift beside that of settings and run state. */
  drift(context: ReconcileContext<K>, observed: K["observed"]): readonly DriftField[];
  /** Drift is also known where the platform does not list services. */
  readonly comparesUnlisted?: true;
}

/** Checks in order. */
export type Checks<Action> = readonly (() => Plan<Action> | undefined)[];

/** Returns the kind that a declaration describes. */
export function defineService<K extends ServiceTypes<Item>, Item extends ListedObject>(
  kind: ServiceKind<K, Item>,
): Kind<K> {
  const built: unknown = { ...kind, ...sharedOf(kind) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The shared code sets members that every service has, and keeps all others of what a kind observes and remembers.
  return withRunSchedule<K>(built as Kind<K>, kind, observedRunState);
}

function sharedOf(kind: ServiceKind): Omit<Kind<ServiceTypes>, "resource"> {
  return {
    claim: (spec) => spec.externalId,
    operations: ({ runState, runSchedule }) => ({
      ...kind.needed,
      stop: kind.operations.stop === undefined ? [] : [kind.operations.stop],
      isStopWanted: runState === "Stopped" || runSchedule !== undefined,
    }),
    listable: (isFull) => isSupported(kind.operations.list, isFull),
    needs: (spec) => ({
      references: [environmentNeed(spec.environmentRef)],
      values: variableRequests(spec.variables ?? []),
      inputs: (resolved) => kind.inputs(spec, resolved),
    }),
    observe: async (context, api) => {
      const observed = await observeService(kind, context, api);
      return { ...observed, failureLog: await readFailureLog(kind, context, observed, api) };
    },
    plan: (context, observed) => plan(kind, context, observed),
    act: ({ action: step }, context, observed, api) => {
      const shared = (of: ServiceContext) => act(kind, step, of, observed, api);
      return kind.act?.(step, context, observed, api, shared) ?? shared(context);
    },
    trace: (intent, context, api) => traceService(kind, intent, context, api),
    report: (context, observed) => report(kind, context, observed),
  };
}

/** Returns the next step. */
function plan(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): Plan<ServiceTypes["action"]> {
  const { goal, id } = context;
  if (goal !== "present") return kind.planRemoval?.(context, observed) ?? planServiceRemoval(kind, context, observed);
  const found =
    checkPlace(context, observed) ??
    (id === undefined ? planNew(kind, context, observed) : checkIdentity(kind, context, observed, id));
  if (found?.is === "adopt") {
    const { notObservableAfterwards } = kind;
    return adoptable(kind, context, observed, {
      ...found,
      ...(notObservableAfterwards && { notObservableAfterwards }),
    });
  }
  if (found !== undefined) return found;
  const next = firstOf(context, [
    () => checkSettings(kind, context, observed),
    ...kind.checks(context, observed, progressIn(kind, context, observed)),
  ]);
  if (next.is !== "step" || kind.isChangedByUser === undefined) return next;
  return { ...next, step: { ...next.step, follows: kind.isChangedByUser(context, observed) } };
}
