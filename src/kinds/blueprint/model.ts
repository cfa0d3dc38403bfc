/** What the parts of the blueprint kind exchange. */
import type { Fingerprint, ReconcileContext, Presence, Uuid } from "../../engine/contract/kind.ts";
import type { IngressStatus } from "../../platform/areas/services.ts";
import type { Platform } from "../../platform/index.ts";
import type { Listed, Place, Sight } from "../service/model.ts";
import { NOT_READ, type SideRead } from "../shared/answers.ts";
import type { InputVariable } from "../shared/variables.ts";
import type { BlueprintMemory, BlueprintSpec } from "./crd.ts";

export interface Inputs {
  readonly environmentId: Uuid;
  readonly variables: readonly InputVariable[];
  /** The fingerprint of all variables. */
  readonly fingerprint: Fingerprint;
}

/** A service of a blueprint, under the id of that blueprint. */
export interface BlueprintService extends Listed {
  readonly serviceId: Uuid;
  readonly type: string | undefined;
  readonly icon: string | undefined;
}

export interface Seen extends Place, Sight {
  /** Those of the environment; undefined where they are not listed, and when the environment is gone. */
  readonly siblings: readonly BlueprintService[] | undefined;
  /** Whether the context's id is among them; undefined where no list is offered. */
  readonly presence: Presence | undefined;
  /** Fresh reads of both lists prove that the service, which was listed before, is gone. */
  readonly isGone: boolean;
  /** Of a running Helm chart. */
  readonly ingress: SideRead<IngressStatus>;
  readonly serverNow: Date | undefined;
}

export type Do = { readonly what: "create" };

/** The types of the kind. */
export interface BlueprintTypes {
  readonly spec: BlueprintSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: BlueprintMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type BlueprintContext = ReconcileContext<BlueprintTypes>;

export const NOTHING_SEEN: Seen = {
  environmentIsOurs: true,
  projectId: undefined,
  siblings: undefined,
  presence: undefined,
  status: undefined,
  request: undefined,
  isGone: false,
  ingress: NOT_READ,
  serverNow: undefined,
};

/** Returns the service of the blueprint, where the platform shows it. */
export function serviceOf(context: BlueprintContext, seen: Seen): BlueprintService | undefined {
  return seen.siblings?.find(({ id }) => id === context.id);
}

/** Reports whether the service is to run: it was deployed with its creation, or adopted as deployed. */
export function isToRun({
  spec: { deployOnCreate },
  memory: { createdAt, lastDeployment },
}: BlueprintContext): boolean {
  if (createdAt === undefined) return deployOnCreate === true;
  return lastDeployment !== undefined && deployOnCreate !== false;
}

/** For how long a list may not show a new service, nor a service its deployment. */
const LAG_MS = 10 * 60_000;

/** Reports whether the platform may not show it yet. */
export function isRecent({ now }: BlueprintContext, since: string | undefined): boolean {
  return since !== undefined && now.getTime() - Date.parse(since) < LAG_MS;
}
