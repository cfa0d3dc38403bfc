/** What the parts of the project kind exchange. */
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import type { EnvironmentCount, Project } from "../../platform/areas/projects.ts";
import type { Platform } from "../../platform/index.ts";
import type { NamedAction, NamedObserved } from "../shared/named-plan.ts";
import type { SideRead } from "../shared/side-read.ts";
import type { ProjectMemory, ProjectSpec } from "./crd.ts";

export interface Seen extends NamedObserved<Project> {
  /** All projects of the organization. */
  readonly records: readonly Project[];
  readonly environments: SideRead<readonly EnvironmentCount[]>;
}

/** The types of the kind. */
export interface ProjectTypes {
  readonly spec: ProjectSpec;
  readonly inputs: object;
  readonly observed: Seen;
  readonly memory: ProjectMemory;
  readonly action: NamedAction;
  readonly api: Platform;
}

export type ProjectContext = ReconcileContext<ProjectTypes>;
