/** What the shared code of services uses of context and observation, and the kind's nouns. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { Deployment, ServiceStatus } from "../../platform/areas/service-status.ts";
import type { ServiceDeployment } from "./crd-status.ts";

export interface ServiceSpec {
  readonly externalId?: Uuid | undefined;
  readonly name: string;
  readonly environmentRef: { readonly externalId?: string | undefined };
}

export interface ServiceInputs {
  readonly environmentId: Uuid;
}

export type ServiceMemory = {
  readonly lastDeployment?: ServiceDeployment | undefined;
  readonly runState?: "Running" | "Stopped" | undefined;
  readonly stopping?: string | undefined;
};

export type ServiceContext = ReconcileContext<{ spec: ServiceSpec; inputs: ServiceInputs; memory: ServiceMemory }>;

/** The state of a service, and of the followed request. */
export interface Sight {
  /** undefined while there is no id, or when the service does not exist. */
  readonly status: ServiceStatus | undefined;
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

/** A service as a list of its environment shows it. */
export interface Listed {
  readonly id: Uuid;
  readonly name: string;
  readonly createdAt?: string;
}

/** The noun for a kind of service in messages. */
export type Noun = "application" | "database" | "service" | "cluster";
