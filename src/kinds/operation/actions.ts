/** The actions: the request of each, its goal, and its name in messages. */
import type { Why } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Phase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { shortCommit } from "../application/words.ts";
import type { ActionType, OperationContext, Target } from "./model.ts";

export interface Action {
  readonly type: ActionType;
  /** The operation of the platform's API. */
  readonly op: string;
  readonly target: Target;
  /** The phase of the target once it is done. */
  readonly wanted: Phase;
  /** The state after a request whose answer shows none. */
  readonly queued: string;
  readonly reason: Why["reason"];
  /** The verb of messages, e.g. "stopped". */
  readonly verb: string;
  /** A repetition changes nothing on the platform. */
  readonly isRepeatable?: true;
}

const DEPLOY = { wanted: "running", queued: "DEPLOYMENT_QUEUED", reason: "Deploying", verb: "deployed" } as const;
const STOP = {
  wanted: "stopped",
  queued: "STOP_QUEUED",
  reason: "Stopping",
  verb: "stopped",
  isRepeatable: true,
} as const;

const ACTIONS: Readonly<Record<ActionType, Action>> = {
  DeployApplication: { type: "DeployApplication", op: "deployApplication", target: "application", ...DEPLOY },
  DeployDatabase: {
    type: "DeployDatabase",
    op: "deployDatabase",
    target: "database",
    ...DEPLOY,
    isRepeatable: true,
  },
  StopDatabase: { type: "StopDatabase", op: "stopDatabase", target: "database", ...STOP },
  StopCluster: { type: "StopCluster", op: "stopCluster", target: "cluster", ...STOP },
  UpgradeCluster: {
    type: "UpgradeCluster",
    op: "upgradeCluster",
    target: "cluster",
    ...DEPLOY,
    reason: "Upgrading",
    verb: "upgraded",
  },
  SendInvoices: {
    type: "SendInvoices",
    op: "sendInvoices",
    target: undefined,
    wanted: "unknown",
    queued: "",
    reason: "Progressing",
    verb: "sent to the account holder by e-mail",
  },
};

/** Returns the action of an operation; undefined where it changes nothing. */
export function actionOf({ spec }: Pick<OperationContext, "spec">): Action | undefined {
  return spec.type === "RenderHelmDefaultValues" ? undefined : ACTIONS[spec.type];
}

/** Returns the subject of a sentence that ends with the verb, e.g. "Commit 1a2b3c4 is". */
export function subject({ spec }: OperationContext, { target }: Action): string {
  if (spec.gitCommitId !== undefined) return `Commit ${shortCommit(spec.gitCommitId)} is`;
  return target === undefined ? "The invoices are" : `The ${target} is`;
}

/** What an answer shows: a service, a cluster, or nothing. */
export interface Answer {
  readonly service?: ServiceStatus | undefined;
  readonly cluster?: ClusterStatus | undefined;
}

/** Sends the request. @throws ApiError */
export async function send({ spec, inputs }: OperationContext, { type }: Action, api: Platform): Promise<Answer> {
  const id = inputs.targetId ?? "";
  switch (type) {
    case "DeployApplication":
      return { service: await api.applications.deploy(id, spec.gitCommitId ?? "") };
    case "DeployDatabase":
      return { service: await api.databases.deploy(id) };
    case "StopDatabase":
      return { service: await api.databases.stop(id) };
    case "StopCluster":
      return { cluster: await api.clusters.stop(id) };
    case "UpgradeCluster":
      return { cluster: await api.clusters.upgrade(id) };
    case "SendInvoices":
      await api.organization.sendInvoices();
      return {};
    default:
      return type satisfies never;
  }
}
