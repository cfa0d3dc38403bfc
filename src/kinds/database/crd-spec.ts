import { z } from "zod";

import { connectionRef, displayName, externalId, platformValue, reference } from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf } from "../../api/lifecycle.ts";

const size = (most: number, description: string) =>
  z
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`${description} in the platform's unit. Left to the platform when absent.`);

/** Sizes are in the platform's own units; its specification does not name them. */
export const spec = z.object({
  connectionRef: connectionRef.optional(),
  environmentRef: reference(
    "PlatformEnvironment",
    "Environment that the database is in. Cannot be changed once it exists.",
  ),
  name: displayName.describe("Name of the database; unique in the environment, whatever the case."),
  type: platformValue.describe(
    "Type in the platform's spelling, e.g. POSTGRESQL. Cannot be changed once the database exists.",
  ),
  version: z
    .string()
    .max(64)
    .regex(/^[0-9A-Za-z][0-9A-Za-z._+-]*$/, "must be a version, e.g. 16 or 7.0.5")
    .describe('Version of the database, in quotes, e.g. "16". A change needs a platform that can update databases.'),
  mode: platformValue.describe(
    "Mode in the platform's spelling, e.g. MANAGED or CONTAINER. Cannot be changed once the database exists.",
  ),
  cpu: size(1_000_000, "CPU"),
  memory: size(100_000_000, "Memory"),
  storage: size(100_000_000, "Storage"),
  runState: z
    .enum(["Running", "Stopped"])
    .default("Running")
    .describe(
      "Whether the database runs: Running deploys it once it is created, and again after it was stopped. Defaults to " +
        "Running.",
    ),
  externalId: externalId.optional(),
  lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
});

export type DatabaseSpec = z.output<typeof spec>;
