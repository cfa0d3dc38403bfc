/** What the parts of the environment kind exchange. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import type { EnvironmentCount } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import { mineOf, type NamedAction, type NamedObserved } from "../shared/named-plan.ts";
import { fitOptional, ID } from "../shared/text.ts";
import type { EnvironmentMemory, EnvironmentSpec } from "./crd.ts";

export interface Inputs {
  readonly projectId: Uuid;
  readonly clusterId: Uuid;
}

export interface Seen extends NamedObserved<Environment> {
  /** The project's environments by id. Every surface shows them. */
  readonly counts: readonly EnvironmentCount[];
  /** Whether a project that was given by id is the organization's; true for a managed one. */
  readonly projectIsOurs: boolean;
}

/** The types of the kind. */
export interface EnvironmentTypes {
  readonly spec: EnvironmentSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: EnvironmentMemory;
  readonly action: NamedAction;
  readonly api: Platform;
}

export type EnvironmentContext = ReconcileContext<EnvironmentTypes>;

/** Returns what is known of the record: observed, else remembered from the answer to the create. */
export function recordOf(context: EnvironmentContext, seen: Seen): EnvironmentMemory {
  const mine = mineOf(context, seen);
  return mine === undefined ? context.memory : memoryOf(mine);
}

/** Returns what to remember of a record. */
export function memoryOf({ name, mode, clusterId, createdAt }: Partial<Environment>): EnvironmentMemory {
  return {
    name: fitOptional(name),
    mode: fitOptional(mode),
    clusterId: fitOptional(clusterId, ID),
    createdAt: fitOptional(createdAt),
  };
}
