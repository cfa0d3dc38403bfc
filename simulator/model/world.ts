import type { Action, Phase, ServiceKind } from "./actions.ts";
import type { TemplateVersion } from "./catalog.ts";
import type { DeploymentStatus } from "./states.ts";

/** A JSON object as it came over the wire. */
export type Fields = Record<string, unknown>;

/** The rules of one blueprint of the catalog. */
export interface BlueprintManifest {
  /** Names the blueprint and its version, e.g. `postgres/16.2.0`. */
  readonly tag: string;
  readonly engine: "terraform" | "opentofu" | "helm";
  /** Members of spec_overrides that may be given. */
  readonly overridable: readonly string[];
  /** The versions that engine_version may name; none for helm. */
  readonly engineVersions: readonly string[];
}

export interface Organization {
  readonly id: string;
  name: string;
}

interface Dated {
  /** ISO 8601. */
  readonly createdAt: string;
  updatedAt: string;
  /** Real monotonic milliseconds of the creation: lists with a lag hide younger records. */
  readonly createdAtMs: number;
}

export interface Project extends Dated {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  description: string | null;
  /** Its environments are being deleted; it is removed with the last of them. */
  isBeingDeleted: boolean;
}

export interface Environment extends Dated {
  readonly id: string;
  readonly projectId: string;
  name: string;
  mode: string;
  clusterId: string;
  /** Deployment requests, oldest first: one at a time is worked on, further requests wait. */
  queue: DeploymentRequest[];
  lastRequestId: string | null;
  /** Its services are being deleted; it is removed with the last of them. */
  isBeingDeleted: boolean;
}

/** A build or an action that fails on purpose the next time. */
export type Failure = "build" | Action;

export interface Service extends Dated {
  readonly id: string;
  readonly kind: ServiceKind;
  readonly environmentId: string;
  /** The id of its ingress. */
  readonly routerId: string;
  /** The blueprint that created the service, if any. */
  readonly blueprintId: string | null;
  name: string;
  /** The other members of its creation or update body, defaults filled in. */
  settings: Fields;
  /** One of the 29 documented states, or a value that a test set. */
  state: string;
  deploymentStatus: DeploymentStatus;
  /** Grows with every edit; a deployment does not include edits after its start. */
  revision: number;
  commit: string | null;
  requestId: string | null;
  executionId: string | null;
  lastDeploymentDate: string | null;
  lastDurationSeconds: number | null;
  failNext: Failure[];
  /** True for a service that never leaves its state by itself. */
  stuck: boolean;
  /** States that the next reads show, one each. */
  script: string[];
  log: { readonly id: string; readonly createdAt: string; readonly message: string }[];
}

export interface Target {
  readonly serviceId: string;
  commit: string | null;
  /** The state to restore when the request is dropped; undefined while the service shows another request. */
  previous: string | undefined;
  /** The service's revision when work began. */
  revision: number;
  outcome: "pending" | "done" | "failed" | "canceled";
}

export interface DeploymentRequest {
  readonly id: string;
  readonly organizationId: string;
  readonly environmentId: string;
  readonly executionId: string;
  readonly action: Action;
  /** The caller; only requests of the same caller merge. */
  readonly principal: string;
  targets: Target[];
  /** accepted: not shown yet; queued: shown, not begun. */
  stage: "accepted" | "queued" | "working" | "canceling" | "finished";
  phases: readonly Phase[];
  phase: number;
  /** Virtual milliseconds of the next step; undefined while it waits for earlier requests. */
  dueAt: number | undefined;
  startedAt: number | undefined;
  /** The deployment state of this request only. */
  status: string;
}

export interface Variable extends Dated {
  readonly id: string;
  readonly scope: "APPLICATION" | "ENVIRONMENT" | "PROJECT" | "BUILT_IN";
  /** The application, environment or project that it belongs to. */
  readonly parentId: string;
  key: string;
  value: string;
  readonly secret: boolean;
  description: string | null;
}

export interface ClusterLock {
  reason: string;
  lockedAt: string;
  ownerName: string;
  ttlInDays: number;
}

export interface ClusterRun {
  readonly action: "deploy" | "stop" | "upgrade";
  stage: "queued" | "working";
  dueAt: number;
}

export interface Cluster extends Dated {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  region: string;
  cloudProvider: string;
  mode: "PLATFORM_MANAGED" | "CUSTOMER_MANAGED";
  /** One of the 24 documented states, or a value that a test set. */
  state: string;
  deployed: boolean;
  deploymentStatus: DeploymentStatus;
  reason: string;
  version: string;
  nextVersion: string | null;
  executionId: string | null;
  lastDeploymentDate: string | null;
  lock: ClusterLock | null;
  run: ClusterRun | null;
  failNext: ("deploy" | "stop" | "credentials")[];
  stuck: boolean;
  script: string[];
  binding: Binding | null;
}

export interface Binding {
  templateKey: string;
  templateVersion: string;
  layerSelections: Record<string, boolean>;
  managedConfig: Record<string, Fields>;
  customerProvidedInputs: Record<string, Record<string, string>>;
  /** When its layers are on, in virtual milliseconds. */
  readyAt: number;
}

export interface Webhook extends Dated {
  readonly id: string;
  readonly organizationId: string;
  targetUrl: string;
  events: string[];
  enabled: boolean;
  settings: Fields;
}

export interface Blueprint extends Dated {
  readonly id: string;
  readonly environmentId: string;
  readonly serviceId: string;
  name: string;
  tag: string;
  /** The overrides of its manifest that apply. */
  overrides: Fields;
}

export interface Credentials {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  accessKeyId: string;
  objectType: string;
}

export interface Repository {
  readonly id: string;
  readonly organizationId: string;
  name: string;
  url: string;
  defaultBranch: string;
  private: boolean;
  /** The git token with which it is listed; null for every token. */
  gitTokenId: string | null;
}

/** All data of the platform; tests and the control endpoint may change it in place. */
export type World = ReturnType<typeof emptyWorld>;

/** @returns an empty world */
export function emptyWorld() {
  return {
    organizations: new Map<string, Organization>(),
    projects: new Map<string, Project>(),
    environments: new Map<string, Environment>(),
    services: new Map<string, Service>(),
    clusters: new Map<string, Cluster>(),
    variables: new Map<string, Variable>(),
    webhooks: new Map<string, Webhook>(),
    blueprints: new Map<string, Blueprint>(),
    requests: new Map<string, DeploymentRequest>(),
    credentials: new Map<string, Credentials>(),
    manifests: new Map<string, BlueprintManifest>(),
    templates: [] as TemplateVersion[],
    repositories: [] as Repository[],
    /** The ids of deleted objects, with their parents: some platforms answer 403 for them. */
    deletedIds: new Map<string, string | null>(),
  };
}

/** @returns the services of an environment, in the order of their creation. */
export function servicesOf(world: World, environmentId: string): Service[] {
  return [...world.services.values()].filter((service) => service.environmentId === environmentId);
}

/** @returns the environments of a project, in the order of their creation. */
export function environmentsOf(world: World, projectId: string): Environment[] {
  return [...world.environments.values()].filter((environment) => environment.projectId === projectId);
}

/** Removes a service with its variables and its blueprint. */
export function removeService(world: World, service: Service): void {
  world.services.delete(service.id);
  world.deletedIds.set(service.id, service.environmentId);
  for (const variable of world.variables.values()) {
    if (variable.parentId === service.id) world.variables.delete(variable.id);
  }
  if (service.blueprintId !== null) world.blueprints.delete(service.blueprintId);
}

/** Removes an environment with everything in it. */
export function removeEnvironment(world: World, environment: Environment): void {
  for (const service of servicesOf(world, environment.id)) removeService(world, service);
  world.environments.delete(environment.id);
  world.deletedIds.set(environment.id, environment.projectId);
}

/** Removes a project with everything in it. */
export function removeProject(world: World, project: Project): void {
  for (const environment of environmentsOf(world, project.id)) removeEnvironment(world, environment);
  world.projects.delete(project.id);
  world.deletedIds.set(project.id, null);
}
