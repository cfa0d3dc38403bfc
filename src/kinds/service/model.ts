/** The types that services share, and the facts that a kind of services gives to the shared code. */
import type { Presence, ReconcileContext, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import type { Deployment, ServiceStatus } from "../../platform/areas/service-status.ts";
import type { ReadOptions } from "../../platform/client/caller.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import type { ListedObject } from "../shared/names.ts";
import type { RunState } from "../shared/run-schedule.ts";
import type { DeclaredVariable } from "../variables/declared.ts";
import type { Ingress, ServiceDeployment, ServiceFailure, WrittenSettings } from "./crd-status.ts";

export interface ServiceSpec {
  readonly externalId?: Uuid | undefined;
  readonly name: string;
  readonly environmentRef: { readonly name?: string | undefined; readonly externalId?: Uuid | undefined };
  readonly variables?: readonly DeclaredVariable[];
  /** Absent for services that the operator does not stop. */
  readonly runState?: RunState;
  readonly runSchedule?: unknown;
}

export interface ServiceInputs {
  readonly environmentId: Uuid;
}

export type ServiceMemory = {
  readonly state?: string | undefined;
  readonly stateSince?: string | undefined;
  readonly lastDeployment?: ServiceDeployment | undefined;
  readonly lastFailure?: ServiceFailure | undefined;
  readonly written?: WrittenSettings | undefined;
  readonly runState?: RunState | undefined;
  readonly runUntil?: string | undefined;
  readonly stopping?: string | undefined;
  readonly lastHandledRedeployAt?: string | undefined;
  readonly ingress?: Ingress | undefined;
};

/** The state of a service, and of the followed request. */
export interface ObservedState {
  /** undefined without an id, and where the platform does not show the service. */
  readonly status?: ServiceStatus | undefined;
  /** The deployment request that is followed. */
  readonly request?: Deployment | undefined;
}

/** The parents of a service, up to the organization. */
export interface ServiceParents {
  /** Whether the environment is the organization's; true where that is not checked. */
  readonly environmentIsOurs: boolean;
  /** Why an environment that nothing shows, and nothing disproves, is not used. */
  readonly unproven?: StatusReason | undefined;
  /** The project of the environment, where it was read. */
  readonly projectId?: Uuid | undefined;
}

/** What is observed of every service. */
export interface ServiceObserved<Item extends ListedObject = ListedObject> extends ServiceParents, ObservedState {
  /** The services of this kind in the environment, where the platform lists them. */
  readonly siblings?: readonly Item[] | undefined;
  /** The service's own record, where the platform has no list and an update needs the record. */
  readonly own?: Item | undefined;
  /** What a list shows of it, where nothing else does. */
  readonly presence?: Presence | undefined;
  /** Fresh reads prove that the recorded service is gone. */
  readonly isGone: boolean;
  /** Why the state is unknown, where the platform does not show it. The status then says nothing. */
  readonly unknownState?: StatusReason | undefined;
  readonly ingress: SideRead<Ingress>;
  readonly serverNow?: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /**
   * The last lines of the log, where they were read for a failure. They may contain secrets that nobody can recognize.
   */
  readonly failureLog?: readonly string[] | undefined;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export const NOTHING_OBSERVED: ServiceObserved<never> = {
  environmentIsOurs: true,
  isGone: false,
  ingress: NOT_READ,
  updated: false,
  deleting: false,
};

/** Returns the service's own record, where the platform shows it. */
export function serviceRecord<Item extends ListedObject>(
  { id }: { readonly id: Uuid | undefined },
  { own, siblings }: Pick<ServiceObserved<Item>, "own" | "siblings">,
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

/** What pure code sees of any service. */
export type ServiceContext = ReconcileContext<{
  readonly spec: ServiceSpec;
  readonly inputs: ServiceInputs;
  readonly memory: ServiceMemory;
}>;

/** The noun for a kind of service in messages. */
export type Noun = "application" | "database" | "service" | "cluster";

/** How messages and the platform's API name a kind of service. An operation is absent where no platform has it. */
export interface ServiceNames {
  readonly noun: Noun;
  /** The plural of the noun, e.g. "blueprints". */
  readonly plural: string;
  readonly operations: Readonly<
    Record<"list" | "create", OperationName> &
      Partial<Record<"get" | "update" | "deploy" | "stop" | "delete", OperationName>>
  >;
  /** What to do about a failed state, where that is more than to look at the service on the platform. */
  readonly advice: ReadonlyMap<string, string>;
}

/** What the list of an environment shows of a service and its siblings. */
export interface Siblings<Item> {
  /** Undefined where no list is offered, or where one that may be incomplete lacks the service. */
  readonly siblings: readonly Item[] | undefined;
  /** Undefined where no list is offered. */
  readonly presence: Presence | undefined;
}

/**
 * The platform's API for a kind of services, e.g. `api.applications`. It sends the members of a spec that it knows.
 * Each operation throws ApiError.
 */
export interface ServiceArea<Spec, Item> {
  create(environmentId: Uuid, spec: Spec, options: { readonly extended: boolean }): Promise<Item>;
  list(environmentId: Uuid, options?: ReadOptions): Promise<readonly Item[]>;
  get(id: Uuid): Promise<Item>;
  update(current: Item, spec: Spec): Promise<Item | undefined>;
  deploy(id: Uuid, commit: string): Promise<ServiceStatus | undefined>;
  stop(id: Uuid): Promise<ServiceStatus | undefined>;
  delete(id: Uuid): Promise<void>;
}
