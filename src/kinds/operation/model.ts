/** What the parts of the operation kind exchange, its targets, and the table of its actions. */
import type { Ms, ReconcileContext, Reference, Uuid, Why } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Phase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { shortCommit } from "../service/messages.ts";
import type { ObservedState } from "../service/model.ts";
import type { TypesOf } from "../shared/types.ts";
import type { OperationSpec, OperationType, platformOperation } from "./crd.ts";

export interface Inputs {
  /** undefined where the whole organization is the target. */
  readonly targetId: Uuid | undefined;
}

export interface Observed extends ObservedState {
  /** The state of a cluster, where the platform shows it. */
  readonly cluster?: ClusterStatus | undefined;
  /** Why the target must not be touched. */
  readonly refusal?: Why | undefined;
  readonly rendered?: Rendered | undefined;
  /** A request was refused in this reconcile. */
  readonly refused: boolean;
  /** When to send it again, where other work is in its way. */
  readonly again?: Ms | undefined;
}

/** Default values of a chart, or why the platform has none. */
export type Rendered = { readonly values: string; readonly digest: string } | { readonly why: Why };

/** The types of the kind. */
export type OperationTypes = TypesOf<
  typeof platformOperation,
  { inputs: Inputs; observed: Observed; action: OperationType }
>;

export type OperationContext = ReconcileContext<OperationTypes>;

export const NOTHING_OBSERVED: Observed = { refused: false };

/** Returns the target of the request that was sent: the name in the spec may lead to another object now. */
export function sentTo({ memory, inputs }: OperationContext): Uuid | undefined {
  return memory.targetId ?? inputs.targetId;
}

/** Reports whether the status of a started operation is lost: its outcome is unknown. */
export function isLost({ memory, records: { started } }: OperationContext): boolean {
  return started === true && memory.startedAt === undefined;
}

/** The fields that hold a target; the schema admits at most one of them. */
const TARGETS = [
  ["applicationRef", "PlatformApplication"],
  ["databaseRef", "PlatformDatabase"],
  ["clusterRef", "PlatformCluster"],
  ["environmentRef", "PlatformEnvironment"],
] as const;

interface TargetReference extends Reference {
  readonly kind: (typeof TARGETS)[number][1];
}

/**
 * Returns the target. It need not be Ready: the operation may be what fixes it.
 * @returns undefined where it is the organization
 */
export function targetReference(spec: OperationSpec): TargetReference | undefined {
  for (const [member, kind] of TARGETS) {
    const reference = spec[member];
    if (reference === undefined) continue;
    const { name, externalId } = reference;
    return { field: `spec.${member}`, kind, name, externalId, idOnly: true };
  }
  return undefined;
}

/** What an answer shows: a service, a cluster, or nothing. */
export interface ActionAnswer {
  readonly service?: ServiceStatus | undefined;
  readonly cluster?: ClusterStatus | undefined;
}

export interface OperationAction {
  /** The operation of the platform's API. */
  readonly op: string;
  /** undefined where it is the organization. */
  readonly target: "application" | "database" | "cluster" | undefined;
  /** The phase of the target once it is done. */
  readonly wanted: Phase;
  /** The state after a request whose answer shows none. */
  readonly queued: string;
  readonly reason: Why["reason"];
  /** The verb of messages, e.g. "stopped". */
  readonly verb: string;
  /** A repetition changes nothing on the platform. */
  readonly isRepeatable?: true;
  /** Sends the request. @throws ApiError */
  send(api: Platform, id: Uuid, spec: OperationSpec): Promise<ActionAnswer>;
}

const DEPLOY = { wanted: "running", queued: "DEPLOYMENT_QUEUED", reason: "Deploying", verb: "deployed" } as const;
const STOP = {
  wanted: "stopped",
  queued: "STOP_QUEUED",
  reason: "Stopping",
  verb: "stopped",
  isRepeatable: true,
} as const;

/** The types that change something on the platform. */
const ACTIONS: Readonly<Partial<Record<OperationType, OperationAction>>> = {
  DeployApplication: {
    ...DEPLOY,
    op: "deployApplication",
    target: "application",
    send: async (api, id, { gitCommitId = "" }) => ({ service: await api.applications.deploy(id, gitCommitId) }),
  },
  DeployDatabase: {
    ...DEPLOY,
    op: "deployDatabase",
    target: "database",
    isRepeatable: true,
    send: async (api, id) => ({ service: await api.databases.deploy(id) }),
  },
  StopDatabase: {
    ...STOP,
    op: "stopDatabase",
    target: "database",
    send: async (api, id) => ({ service: await api.databases.stop(id) }),
  },
  StopCluster: {
    ...STOP,
    op: "stopCluster",
    target: "cluster",
    send: async (api, id) => ({ cluster: await api.clusters.stop(id) }),
  },
  UpgradeCluster: {
    ...DEPLOY,
    op: "upgradeCluster",
    target: "cluster",
    reason: "Upgrading",
    verb: "upgraded",
    send: async (api, id) => ({ cluster: await api.clusters.upgrade(id) }),
  },
  SendInvoices: {
    op: "sendInvoices",
    target: undefined,
    wanted: "unknown",
    queued: "",
    reason: "Progressing",
    verb: "sent to the account holder by e-mail",
    send: async (api) => {
      await api.organization.sendInvoices();
      return {};
    },
  },
};

/** Returns the action of an operation; undefined where it changes nothing. */
export function actionOf({ spec }: Pick<OperationContext, "spec">): OperationAction | undefined {
  return ACTIONS[spec.type];
}

/** Returns the subject of a sentence that ends with the verb, e.g. "Commit 1a2b3c4 is". */
export function subject({ spec }: OperationContext, { target }: OperationAction): string {
  if (spec.gitCommitId !== undefined) return `Commit ${shortCommit(spec.gitCommitId)} is`;
  return target === undefined ? "The invoices are" : `The ${target} is`;
}
