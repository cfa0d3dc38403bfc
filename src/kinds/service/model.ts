/** The types that services share, and what a kind of services declares of its own (docs/architecture.md §3). */
import type {
  DriftField,
  JsonObject,
  KindTypes,
  Plan,
  Presence,
  ReconcileContext,
  Report,
  Uuid,
  Why,
} from "../../engine/contract/kind.ts";
import type { Deployment, ServiceStatus } from "../../platform/areas/service-status.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import type { Listed } from "../shared/names.ts";
import type { DeclaredVariable } from "../shared/variables.ts";
import type { Ingress, ServiceDeployment, ServiceFailure, WrittenSettings } from "./crd-status.ts";
import type { Progress } from "./progress.ts";
import type { Setting } from "./settings.ts";

export type RunState = "Running" | "Stopped";

export interface ServiceSpec {
  readonly externalId?: Uuid | undefined;
  readonly name: string;
  readonly environmentRef: { readonly name?: string | undefined; readonly externalId?: Uuid | undefined };
  readonly variables?: readonly DeclaredVariable[];
  /** Absent for services that the operator does not stop. */
  readonly runState?: RunState;
}

export interface ServiceInputs {
  readonly environmentId: Uuid;
}

export type ServiceMemory = {
  readonly lastDeployment?: ServiceDeployment | undefined;
  readonly lastFailure?: ServiceFailure | undefined;
  readonly written?: WrittenSettings | undefined;
  readonly runState?: RunState | undefined;
  readonly stopping?: string | undefined;
  readonly ingress?: Ingress | undefined;
};

/** The status of a service, as the platform shows it or as it follows from what is remembered. */
export type ShownStatus = ServiceStatus & {
  /** The platform's time at which the status was concluded without a read. */
  readonly impliedAt?: string;
};

/** The state of a service, and of the followed request. */
export interface Sight {
  /** undefined while there is no id, or when the service does not exist. */
  readonly status: ShownStatus | undefined;
  /** The deployment request that is followed. */
  readonly request: Deployment | undefined;
}

/** The parents of a service, up to the organization. */
export interface Place {
  /** Whether an environment that was given by id is the organization's; true for a managed one. */
  readonly environmentIsOurs: boolean;
  /** The project of such an environment. */
  readonly projectId: Uuid | undefined;
}

/** What is observed of every service. */
export interface ServiceSeen<Item extends Listed = Listed> extends Place, Sight {
  /** The services of this kind in the environment, where the platform lists them. */
  readonly siblings: readonly Item[] | undefined;
  /** The service's own record, where the platform has no list and an update needs the record. */
  readonly own?: Item | undefined;
  /** What a list shows of it, where nothing else does. */
  readonly presence?: Presence | undefined;
  /** Fresh reads prove that the recorded service is gone. */
  readonly isGone: boolean;
  /** Why the state is unknown, where the platform does not show it. The status then says nothing. */
  readonly unseen?: Why | undefined;
  readonly ingress: SideRead<Ingress>;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export const NOTHING_SEEN: ServiceSeen<never> = {
  environmentIsOurs: true,
  projectId: undefined,
  status: undefined,
  request: undefined,
  siblings: undefined,
  isGone: false,
  ingress: NOT_READ,
  serverNow: undefined,
  updated: false,
  deleting: false,
};

/** Returns the service's own record, where the platform shows it. */
export function recordOf<Item extends Listed>(
  { id }: { readonly id: Uuid | undefined },
  { own, siblings }: Pick<ServiceSeen<Item>, "own" | "siblings">,
): Item | undefined {
  return own ?? siblings?.find((one) => one.id === id);
}

/** The steps that services share. */
export type ServiceAction =
  | { readonly what: "create" | "update" | "stop" | "delete" }
  | {
      readonly what: "deploy";
      readonly commit?: string;
      /** The token of the user's request that the deployment is made for. */
      readonly retry: string | undefined;
      /** How often spec.lifecycle.retry started the deployment again, this attempt included. */
      readonly attempts: number | undefined;
    };

/** The types of a kind that `defineService` builds. */
export interface ServiceTypes<Item extends Listed = Listed> extends KindTypes {
  readonly spec: ServiceSpec;
  readonly inputs: ServiceInputs;
  readonly observed: ServiceSeen<Item>;
  readonly memory: ServiceMemory;
  readonly action: { readonly what: string };
  readonly api: Platform;
}

export type ServiceContext = ReconcileContext<ServiceTypes>;

/** The noun for a kind of service in messages. */
export type Noun = "application" | "database" | "service" | "cluster";

/** How messages and the platform's API name a kind of service. An operation is absent where no platform has it. */
export interface ServiceNames {
  readonly noun: Noun;
  /** What there is several of, e.g. "blueprints". */
  readonly plural: string;
  readonly operations: Readonly<
    Record<"list" | "create", OperationName> &
      Partial<Record<"get" | "update" | "deploy" | "stop" | "delete", OperationName>>
  >;
  /** What to do about a failed state, where it is not only to look at the service on the platform. */
  readonly advice: ReadonlyMap<string, string>;
}

/** What lists show of a service and its siblings. */
export interface Neighbours<Item> {
  /** Undefined where no list is offered, or where one that may be incomplete lacks the service. */
  readonly siblings: readonly Item[] | undefined;
  /** Undefined where no list is offered. */
  readonly presence: Presence | undefined;
}

/** Conditions, members of status, and when to look again. */
export type Facts = Pick<Report, "conditions" | "status" | "lookWithin">;

/** What the shared code needs to know of a kind of services. */
export interface ServiceKind<K extends ServiceTypes = ServiceTypes, Item extends Listed = Listed> extends ServiceNames {
  readonly settings: readonly Setting<K["spec"], Item>[];
  /** Returns how the work on the service is going; undefined where nothing shows it. */
  progress(context: ReconcileContext<K>, seen: K["observed"]): Progress | undefined;

  /** Reports whether the platform shows the service. Absent: where it has a status. */
  isShown?(context: ReconcileContext<K>, seen: K["observed"]): boolean;
  /** Returns why none may be created. */
  checkNew?(context: ReconcileContext<K>): Why | undefined;
  /** Returns what the trace of a create compares with, beside names. */
  createMark?(context: ReconcileContext<K>): JsonObject;
  /** Returns what follows for an id that the platform does not show; else it is judged as for every service. */
  checkMissing?(context: ReconcileContext<K>, seen: K["observed"], id: Uuid): Plan<never> | undefined;
  /** Returns why a record must not be adopted. */
  checkAdoption?(context: ReconcileContext<K>, record: Item | undefined, id: Uuid): Why | undefined;
  /** Returns paths in the spec, beside those of the settings, that were changed and cannot be. */
  changedPaths?(context: ReconcileContext<K>): readonly string[];
  /** Returns the checks of a service that exists, after that of its settings; the first difference wins. */
  checks(
    context: ReconcileContext<K>,
    seen: K["observed"],
    progress: Progress | undefined,
  ): readonly (() => Plan<K["action"]> | undefined)[];
  /** Returns the plan for the goals "stopped" and "absent". Absent: as for every service that can be deleted. */
  planRemoval?(context: ReconcileContext<K>, seen: K["observed"]): Plan<K["action"]>;

  ready(context: ReconcileContext<K>, seen: K["observed"]): Why;
  /** Returns what is reported before the service is recorded, too. */
  reportAlways?(context: ReconcileContext<K>, seen: K["observed"]): Facts;
  /** Returns what is reported of a service that is recorded. */
  report(context: ReconcileContext<K>, seen: K["observed"]): Facts;
  /** Returns what is remembered of a failure in this state, without its time. */
  failure(context: ReconcileContext<K>, seen: K["observed"], state: string): ServiceFailure;
  /** Returns drift beside that of settings and run state. */
  drift(context: ReconcileContext<K>, seen: K["observed"]): readonly DriftField[];
  /** Drift is known where the platform does not list services, too. */
  readonly comparesUnlisted?: true;
}
