/** What the parts of the environment kind exchange. */
import type { DriftField, ReconcileContext, Presence, Uuid } from "../../engine/contract/kind.ts";
import type { Environment } from "../../platform/areas/environments.ts";
import type { EnvironmentCount } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import { fit, fitOptional, ID } from "../shared/text.ts";
import type { EnvironmentMemory, EnvironmentSpec } from "./crd.ts";

export interface Inputs {
  readonly projectId: Uuid;
  readonly clusterId: Uuid;
}

export interface Seen {
  /** The project's environments by id. Every surface shows them. */
  readonly counts: readonly EnvironmentCount[];
  /** Their records, where the platform shows them. */
  readonly records: readonly Environment[] | undefined;
  /** Whether the context's id is among them. */
  readonly presence: Presence;
  /** Whether a project that was given by id is the organization's; true for a managed one. */
  readonly projectIsOurs: boolean;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export type Do = "create" | "update" | "delete";
/** The types of the kind. */
export interface EnvironmentTypes {
  readonly spec: EnvironmentSpec;
  readonly inputs: Inputs;
  readonly observed: Seen;
  readonly memory: EnvironmentMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type EnvironmentPass = ReconcileContext<EnvironmentTypes>;

export const mineOf = (context: EnvironmentPass, seen: Seen): Environment | undefined =>
  seen.records?.find(({ id }) => id === context.id);

/** Returns what is known of the record: observed, else remembered from the answer to the create. */
export function recordOf(context: EnvironmentPass, seen: Seen): EnvironmentMemory {
  const mine = mineOf(context, seen);
  return mine === undefined ? context.memory : memoryOf(mine);
}

export function memoryOf({ name, mode, clusterId, createdAt }: Environment): EnvironmentMemory {
  return {
    name: fit(name),
    mode: fitOptional(mode),
    clusterId: fitOptional(clusterId, ID),
    createdAt: fitOptional(createdAt),
  };
}

export function driftOf(context: EnvironmentPass, seen: Seen): readonly DriftField[] {
  const { name, mode } = recordOf(context, seen);
  const drift: DriftField[] = [];
  if (name !== undefined && name !== context.spec.name)
    drift.push({ path: "spec.name", desired: context.spec.name, observed: name });
  if (mode !== undefined && context.spec.mode !== undefined && mode !== context.spec.mode)
    drift.push({ path: "spec.mode", desired: context.spec.mode, observed: mode });
  return drift;
}
