/** What the parts of the application kind exchange. */
import type { ReconcileContext, StatusReason } from "../../engine/contract/kind.ts";
import type { Application, ApplicationPort } from "../../platform/areas/applications.ts";
import { withoutCredentials } from "../../text/text.ts";
import {
  NOTHING_OBSERVED as NOTHING_OF_SERVICE,
  type ServiceAction,
  type ServiceInputs,
  type ServiceObserved,
  type ServiceNames,
} from "../service/model.ts";
import type { ServiceSetting } from "../service/settings.ts";
import type { TypesOf } from "../shared/types.ts";
import type { VariableLists } from "../variables/compare.ts";
import type { Wanted } from "../variables/declared.ts";
import type { VariableAction } from "../variables/send.ts";
import type { ApplicationSpec, platformApplication } from "./crd.ts";

export const NAMES = {
  noun: "application",
  plural: "applications",
  operations: {
    list: "listApplications",
    get: "getApplication",
    create: "createApplication",
    update: "updateApplication",
    deploy: "deployApplication",
    stop: "stopApplication",
    delete: "deleteApplication",
  },
  advice: new Map([
    ["BUILD_ERROR", "Read the build log on the platform and set spec.deploy.gitCommitId to a commit that builds"],
    ["DEPLOYMENT_ERROR", "Read the application's log and set spec.deploy.gitCommitId to a commit that starts"],
    ["RESTART_ERROR", "Read the application's log"],
  ]),
} as const satisfies ServiceNames;

/**
 * The settings. Requests, comparison, drift and export are derived from this table. The platform uses the same names.
 */
export const APPLICATION_SETTINGS: readonly ServiceSetting<ApplicationSpec, Application>[] = [
  { path: "spec.name", of: ({ name }) => name },
  {
    path: "spec.gitRepository.url",
    of: ({ gitRepository }) => gitRepository?.url,
    exported: ({ gitRepository }) => gitRepository?.url && withoutCredentials(gitRepository.url, ""),
  },
  { path: "spec.gitRepository.branch", of: ({ gitRepository }) => gitRepository?.branch },
  { path: "spec.gitRepository.provider", of: ({ gitRepository }) => gitRepository?.provider },
  { path: "spec.gitRepository.rootPath", of: ({ gitRepository }) => gitRepository?.rootPath },
  { path: "spec.buildMode", of: ({ buildMode }) => buildMode },
  { path: "spec.dockerfilePath", of: ({ dockerfilePath }) => dockerfilePath },
  { path: "spec.cpu", of: ({ cpu }) => cpu },
  { path: "spec.memory", of: ({ memory }) => memory },
  { path: "spec.minRunningInstances", of: ({ minRunningInstances }) => minRunningInstances },
  { path: "spec.maxRunningInstances", of: ({ maxRunningInstances }) => maxRunningInstances },
  { path: "spec.autoDeploy", of: ({ autoDeploy }) => autoDeploy },
  { path: "spec.autoPreview", of: ({ autoPreview }) => autoPreview },
  {
    path: "spec.ports",
    declared: ({ ports }) => ports?.map(portOf).toSorted(byPort),
    exported: ({ ports }) => ports?.map(portOf),
    observed: ({ ports }, spec) => ports?.map((port) => observedPort(port, spec.ports)).toSorted(byPort),
  },
];

type Port = NonNullable<ApplicationSpec["ports"]>[number];

/** Returns the members of a port in a fixed order. */
function portOf({ internalPort, externalPort, protocol, publiclyAccessible }: Port | ApplicationPort) {
  return { internalPort, externalPort, protocol, publiclyAccessible };
}

/** Returns the members of a port that the spec declares; what the platform does not show of them does not differ. */
function observedPort(port: ApplicationPort, declared: readonly Port[] | undefined): Port {
  const wanted = declared?.find(({ internalPort }) => internalPort === port.internalPort);
  return {
    internalPort: port.internalPort,
    externalPort: wanted?.externalPort && (port.externalPort ?? wanted.externalPort),
    protocol: wanted?.protocol && (port.protocol ?? wanted.protocol),
    publiclyAccessible: port.publiclyAccessible ?? wanted?.publiclyAccessible ?? false,
  };
}

function byPort(left: { readonly internalPort: number }, right: { readonly internalPort: number }): number {
  return left.internalPort - right.internalPort;
}

export interface Inputs extends ServiceInputs, Wanted {}

export interface Observed extends ServiceObserved<Application> {
  /** The lists of its variables, as far as they were read. */
  readonly lists: VariableLists;
  /** The names of the variables that were sent in this reconcile. */
  readonly sentVariables: ReadonlySet<string>;
  /** Why the lists could not be read. */
  readonly variablesFault?: StatusReason | undefined;
}

export type Action = ServiceAction | VariableAction | { readonly what: "cancel"; readonly requestId: string };

/** The types of the kind. */
export type ApplicationTypes = TypesOf<
  typeof platformApplication,
  { inputs: Inputs; observed: Observed; action: Action }
>;

export type ApplicationContext = ReconcileContext<ApplicationTypes>;

export const NOTHING_OBSERVED: Observed = { ...NOTHING_OF_SERVICE, lists: {}, sentVariables: new Set() };
