import { z } from "zod";

import { connectionRef, displayName, externalId, platformValue, reference } from "../../api/fields.ts";
import { CREATED, lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, lockedOnceRecorded, defineResource, wide, SETTINGS } from "../../api/resource.ts";
import { count, id, managedStatus, text } from "../../api/status.ts";
import { altered } from "../shared/altered.ts";

const spec = z.object({
  connectionRef: connectionRef.optional(),
  projectRef: reference("PlatformProject", "Project that the environment is in. Cannot be changed once it exists."),
  name: displayName.describe("Name of the environment; unique in the project, case-insensitive."),
  mode: platformValue
    .optional()
    .describe("Mode in the platform's spelling, e.g. STAGING or PRODUCTION. The platform chooses it when absent."),
  clusterRef: reference("PlatformCluster", "Cluster that the environment runs on. Cannot be changed once it exists."),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(CREATED, ["Retain", "Delete"]),
});

export type EnvironmentSpec = z.output<typeof spec>;

/** The platform's record. The documented surface shows it once, in the answer to the create. */
const record = {
  name: text.describe("Name on the platform."),
  mode: text.describe("Mode on the platform."),
  clusterId: id.describe("Cluster that the environment runs on."),
  createdAt: text.describe("When the platform created it."),
};

export type EnvironmentMemory = z.output<typeof platformEnvironment.memory>;

export const platformEnvironment = defineResource({
  kind: "PlatformEnvironment",
  shortNames: ["penv"],
  description: "An environment in a project of the platform, on a cluster, which contains services.",
  spec,
  memory: record,
  recorded: { altered },
  status: managedStatus(
    {
      ...record,
      projectId: id.optional().describe("Id of the project that the environment is in."),
      serviceCount: count.optional().describe("Number of services in the environment."),
    },
    { altered },
  ),
  rules: [lockedOnceRecorded("projectRef"), lockedOnceRecorded("clusterRef")],
  columns: managedColumns([
    column("Project", ".spec.projectRef.name", "The project it is in."),
    column("Mode", ".spec.mode", "Mode in the platform's spelling."),
    wide("Cluster", ".status.clusterId", "Id of the cluster it runs on."),
    SETTINGS,
  ]),
  selectableFields: [
    ".spec.connectionRef.name",
    ".spec.projectRef.name",
    ".spec.clusterRef.name",
    ".spec.clusterRef.externalId",
  ],
});
