/** What was read of the platform. */
import type { Application } from "../../../platform/areas/applications.ts";
import type { Cluster, ClusterStatus } from "../../../platform/areas/clusters.ts";
import type { Database } from "../../../platform/areas/databases.ts";
import type { Environment } from "../../../platform/areas/environments.ts";
import type { Project } from "../../../platform/areas/projects.ts";
import type { Service } from "../../../platform/areas/services.ts";
import type { Binding, Template } from "../../../platform/areas/templates.ts";

export interface FoundApplication {
  readonly record: Application;
  /** Verbatim; undefined where it could not be read. */
  readonly state: string | undefined;
  /** Keys of its own variables and secrets; undefined where they could not be read. */
  readonly variables: readonly string[] | undefined;
  readonly secrets: readonly string[] | undefined;
}

export interface FoundDatabase {
  readonly record: Database;
  readonly state: string | undefined;
}

export interface FoundEnvironment {
  readonly id: string;
  readonly serviceCount: number | undefined;
  /** The documented surface does not show it, nor what is in the environment. */
  readonly record: Environment | undefined;
  readonly applications: readonly FoundApplication[];
  readonly databases: readonly FoundDatabase[];
  /** Of types that no custom resource describes, and those that come from a blueprint. */
  readonly others: readonly Service[];
}

export interface FoundProject {
  readonly record: Project;
  readonly environments: readonly FoundEnvironment[];
}

export interface FoundCluster {
  readonly record: Cluster;
  readonly status: ClusterStatus | undefined;
  /** undefined where there is none. */
  readonly binding: Binding | undefined;
  /** Those of the organization: they tell which values are secret. */
  readonly templates: readonly Template[];
}

export interface Inventory {
  readonly surface: "Documented" | "Full";
  readonly projects: readonly FoundProject[];
  /** Empty where the surface does not list them, or where single projects are exported. */
  readonly clusters: readonly FoundCluster[];
  /** What could not be read, in sentences. */
  readonly gaps: readonly string[];
}
