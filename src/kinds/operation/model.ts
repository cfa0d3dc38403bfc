/** What the parts of the operation kind exchange. */
import type { ReconcileContext, Uuid, Why } from "../../engine/contract/kind.ts";
import type { ClusterStatus } from "../../platform/areas/clusters.ts";
import type { Platform } from "../../platform/index.ts";
import type { Sight } from "../service/model.ts";
import type { OperationMemory, OperationSpec, OperationType } from "./crd.ts";

/** The types that change something on the platform. */
export type ActionType = Exclude<OperationType, "RenderHelmDefaultValues">;

export interface Inputs {
  /** undefined where the whole organization is the target. */
  readonly targetId: Uuid | undefined;
}

export interface Seen extends Sight {
  /** The state of a cluster, where the platform shows it. */
  readonly cluster: ClusterStatus | undefined;
  /** Why the target must not be touched. */
  readonly refusal: Why | undefined;
  readonly rendered: Rendered | undefined;
  /** A request was refused in this reconcile. */
  readonly refused: boolean;
}

/** Default values of a chart, or why the platform has none. */
export type Rendered = { readonly values: string; readonly digest: string } | { readonly why: Why };

/** The types of the kind. */
export interface OperationTypes {
  readonly spec: OperationSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: OperationMemory;
  readonly action: ActionType;
  readonly api: Platform;
}

export type OperationContext = ReconcileContext<OperationTypes>;

export const NOTHING_SEEN: Seen = {
  status: undefined,
  request: undefined,
  cluster: undefined,
  refusal: undefined,
  rendered: undefined,
  refused: false,
};

/** The target; undefined where it is the organization. */
export type Target = "application" | "database" | "cluster" | undefined;

/** Returns what a request was sent to: the name in the spec may lead elsewhere by now. */
export function sentTo({ memory, inputs }: OperationContext): Uuid | undefined {
  return memory.targetId ?? inputs.targetId;
}

/** Reports whether the status of a started operation is lost: its outcome is unknown. */
export function isLost({ memory, records: { begun } }: OperationContext): boolean {
  return begun === true && memory.startedAt === undefined;
}
