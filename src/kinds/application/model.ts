/** What the parts of the application kind exchange. */
import type { ReconcileContext, StatusReason } from "../../engine/contract/kind.ts";
import type { Application, ApplicationDisk, ApplicationPort } from "../../platform/areas/applications.ts";
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
import { shownAs } from "./healthchecks.ts";

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
  { path: "spec.gitRepository.gitTokenId", of: ({ gitRepository }) => gitRepository?.gitTokenId },
  { path: "spec.buildMode", of: ({ buildMode }) => buildMode },
  { path: "spec.dockerfilePath", of: ({ dockerfilePath }) => dockerfilePath },
  { path: "spec.cpu", of: ({ cpu }) => cpu },
  { path: "spec.memory", of: ({ memory }) => memory },
  { path: "spec.minRunningInstances", of: ({ minRunningInstances }) => minRunningInstances },
  { path: "spec.maxRunningInstances", of: ({ maxRunningInstances }) => maxRunningInstances },
  { path: "spec.entrypoint", of: ({ entrypoint }) => entrypoint },
  { path: "spec.arguments", of: ({ arguments: given }) => given },
  {
    path: "spec.healthchecks",
    declared: ({ healthchecks }) => healthchecks,
    exported: ({ healthchecks }) => healthchecks,
    observed: ({ healthchecks: shown }, { healthchecks }, isSent) =>
      shown && healthchecks && shownAs(healthchecks, shown, isSent),
  },
  {
    path: "spec.storage",
    declared: ({ storage }) => storage?.map(diskOf).toSorted(byMountPoint),
    exported: ({ storage }) => storage?.map(diskOf),
    observed: ({ storage }, spec, isSent) =>
      storage?.map((disk) => observedDisk(disk, spec.storage, isSent)).toSorted(byMountPoint),
  },
  {
    path: "spec.autoDeploy",
    // A platform that goes on following the branch would fight the commit of the spec.
    declared: ({ autoDeploy = false }) => autoDeploy,
    exported: ({ autoDeploy }) => autoDeploy,
    observed: ({ autoDeploy }) => autoDeploy,
  },
  { path: "spec.autoPreview", of: ({ autoPreview }) => autoPreview },
  {
    path: "spec.ports",
    declared: ({ ports }) => ports?.map(portOf).toSorted(byPort),
    exported: ({ ports }) => ports?.map(portOf),
    observed: ({ ports }, spec, isSent) =>
      ports?.map((port) => observedPort(port, spec.ports, isSent)).toSorted(byPort),
  },
];

type Port = NonNullable<ApplicationSpec["ports"]>[number];

/** Returns the members of a port in a fixed order. */
function portOf({
  internalPort,
  name,
  externalPort,
  protocol,
  publiclyAccessible,
  publicPath,
}: Port | ApplicationPort) {
  return { internalPort, name, externalPort, protocol, publiclyAccessible, publicPath };
}

/**
 * Returns the members of a port that the spec declares.
 * @param isSent whether the declared value was sent: a member that the platform does not show counts as declared then
 */
function observedPort(port: ApplicationPort, declared: readonly Port[] | undefined, isSent: boolean) {
  const wanted: Partial<Port> = declared?.find(({ internalPort }) => internalPort === port.internalPort) ?? {};
  const assumed = isSent ? wanted : {};
  const shown = <Member extends "name" | "externalPort" | "protocol" | "publicPath">(member: Member) =>
    wanted[member] && (port[member] ?? assumed[member]);
  return portOf({
    internalPort: port.internalPort,
    name: shown("name"),
    externalPort: shown("externalPort"),
    protocol: shown("protocol"),
    publiclyAccessible: port.publiclyAccessible ?? assumed.publiclyAccessible ?? false,
    publicPath: shown("publicPath"),
  });
}

type Disk = NonNullable<ApplicationSpec["storage"]>[number];

/** Returns the members of a disk in a fixed order. */
function diskOf({ mountPoint, size, type }: Disk | ApplicationDisk) {
  return { mountPoint, size, type };
}

/** Returns the members of a disk that the spec declares; as for a port. */
function observedDisk(disk: ApplicationDisk, declared: readonly Disk[] | undefined, isSent: boolean) {
  const wanted = declared?.find(({ mountPoint }) => mountPoint === disk.mountPoint);
  const assumed = isSent ? wanted : undefined;
  return {
    mountPoint: disk.mountPoint,
    size: disk.size ?? assumed?.size,
    type: wanted?.type && (disk.type ?? assumed?.type),
  };
}

function byMountPoint(left: { readonly mountPoint: string }, right: { readonly mountPoint: string }): number {
  return left.mountPoint < right.mountPoint ? -1 : 1;
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
