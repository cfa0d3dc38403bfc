import { z } from "zod";

import { connectionRef, displayName, externalId } from "../../api/fields.ts";
import { CREATED, lifecycleOf } from "../../api/lifecycle.ts";
import { livingColumns, defineResource } from "../../api/resource.ts";
import { count, id, livingStatus, text, atomicList } from "../../api/status.ts";

/** The largest number of environments that the status lists; `environmentCount` counts all. */
export const LISTED_ENVIRONMENTS = 200;

const spec = z.object({
  connectionRef: connectionRef.optional(),
  name: displayName.describe("Name of the project; unique in the organization, whatever the case."),
  description: z.string().max(1024).optional().describe("What the project is for. Left alone when absent."),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(CREATED, ["Retain", "Delete"]),
});

export type ProjectSpec = z.output<typeof spec>;

export const platformProject = defineResource({
  kind: "PlatformProject",
  shortNames: ["pproj"],
  description: "A project of the platform: the home of environments.",
  spec,
  memory: {},
  status: livingStatus({
    createdAt: text.optional().describe("When the platform created it."),
    updatedAt: text.optional().describe("When the platform last changed it."),
    environmentCount: count.optional().describe("Number of environments in the project."),
    environments: atomicList(
      z
        .object({
          id: id.describe("Id of the environment."),
          serviceCount: count.describe("Number of services in it."),
        })
        .describe("One environment."),
      LISTED_ENVIRONMENTS,
      "Environments of the project, by id; at most 200 are listed.",
    ),
  }),
  columns: livingColumns([]),
});
