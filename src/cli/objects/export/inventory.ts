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
  /** The documented surface shows neither the record nor the services of an environment. */
  readonly record: Environment | undefined;
  readonly applications: readonly FoundApplication[];
  readonly databases: readonly FoundDatabase[];
  /** Services of types without a custom resource, and those that come from a blueprint. */
  readonly others: readonly Service[];
}

export interface FoundProject {
  readonly record: Project;
  readonly environments: readonly FoundEnvironment[];
}

export interface FoundCluster {
  readonly record: Cluster;
  readonly status: ClusterStatus | undefined;
  /** undefined without a binding. */
  readonly binding: Binding | undefined;
  /** The templates of the organization, which show the sensitive values. */
  readonly templates: readonly Template[];
}

export interface Inventory {
  readonly surface: "Documented" | "Full";
  readonly projects: readonly FoundProject[];
  /** Empty where the platform does not list them, or where single projects are exported. */
  readonly clusters: readonly FoundCluster[];
  /** What could not be read, as sentences. */
  readonly gaps: readonly string[];
}
