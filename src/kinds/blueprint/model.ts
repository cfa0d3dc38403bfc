/** What the parts of the blueprint kind exchange. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceKind } from "../service/define.ts";
import {
  NOTHING_OBSERVED as NOTHING_OF_SERVICE,
  type ServiceAction,
  type ServiceInputs,
  type ServiceObserved,
  type ServiceNames,
} from "../service/model.ts";
import type { ListedObject } from "../shared/names.ts";
import type { TypesOf } from "../shared/types.ts";
import type { VariableInputs } from "../shared/variables.ts";
import type { platformBlueprint } from "./crd.ts";

/** After its creation the platform offers no operation on the service of a blueprint. */
export const NAMES = {
  noun: "service",
  plural: "blueprints",
  operations: { list: "listServices", create: "createBlueprint" },
  advice: new Map(),
} as const satisfies ServiceNames;

/** A service of a blueprint, under the id of that blueprint. */
export interface BlueprintService extends ListedObject {
  readonly serviceId: Uuid;
  readonly type: string | undefined;
  readonly icon: string | undefined;
}

export type Observed = ServiceObserved<BlueprintService>;

/** The types of the kind. */
export type BlueprintTypes = TypesOf<
  typeof platformBlueprint,
  { inputs: ServiceInputs & VariableInputs; observed: Observed; action: ServiceAction }
>;

export type BlueprintContext = ReconcileContext<BlueprintTypes>;

/** What the kind declares. */
export type Declaration = ServiceKind<BlueprintTypes, BlueprintService>;

export const NOTHING_OBSERVED: Observed = NOTHING_OF_SERVICE;

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
