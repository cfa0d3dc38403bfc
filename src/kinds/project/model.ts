/** What the parts of the project kind exchange. */
import type { DriftField, ReconcileContext, Presence } from "../../engine/contract/kind.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import type { SideRead } from "../shared/side-read.ts";
import { fit } from "../shared/text.ts";
import type { ProjectMemory, ProjectSpec } from "./crd.ts";

export interface Seen {
  /** All projects of the organization. */
  readonly projects: readonly Project[];
  /** Whether the context's id is among them. */
  readonly presence: Presence;
  readonly environments: SideRead<readonly EnvironmentCount[]>;
  readonly serverNow: Date | undefined;
  /** The settings were sent in this reconcile. */
  readonly updated: boolean;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

export type Do = "create" | "update" | "delete";
/** The types of the kind. */
export interface ProjectTypes {
  readonly spec: ProjectSpec;
  readonly inputs: object;
  readonly observed: Seen;
  readonly memory: ProjectMemory;
  readonly action: Do;
  readonly api: Platform;
}

export type ProjectPass = ReconcileContext<ProjectTypes>;

export const mineOf = (context: ProjectPass, seen: Seen): Project | undefined =>
  seen.projects.find(({ id }) => id === context.id);

export function driftOf({ spec }: ProjectPass, mine: Project): readonly DriftField[] {
  const drift: DriftField[] = [];
  if (mine.name !== spec.name) drift.push({ path: "spec.name", desired: spec.name, observed: fit(mine.name) });
  const { description } = spec;
  if (description !== undefined && (mine.description ?? "") !== description) {
    drift.push({ path: "spec.description", desired: description, observed: fit(mine.description ?? "") });
  }
  return drift;
}
