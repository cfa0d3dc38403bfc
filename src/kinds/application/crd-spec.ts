import { z } from "zod";

import { commit, connectionRef, displayName, externalId, platformValue, reference } from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf } from "../../api/lifecycle.ts";
import { environmentVariableName, variableOf } from "../../api/variables.ts";

const gitRepository = z
  .object({
    url: z
      .string()
      .max(2048)
      .regex(/^(https?|ssh):\/\/[^\s]+$|^[^\s@:/]+@[^\s:]+:[^\s]+$/, "must be the URL of a git repository")
      .describe("URL of the repository, e.g. https://git.example.com/shop/api.git."),
    branch: z.string().min(1).max(255).optional().describe("Branch. Left to the platform when absent."),
    provider: platformValue
      .optional()
      .describe("Git provider in the platform's spelling, e.g. GITHUB. Derived from the URL when absent."),
    rootPath: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe("Directory of the application in the repository. Left to the platform when absent."),
  })
  .describe("Where the source is.");

const port = z
  .object({
    internalPort: z.int().min(1).max(65535).describe("Port that the application listens on."),
    externalPort: z
      .int()
      .min(1)
      .max(65535)
      .optional()
      .describe("Port that it is reached at. Left to the platform when absent."),
    protocol: platformValue
      .optional()
      .describe("Protocol in the platform's spelling, e.g. HTTP. Left to the platform when absent."),
    publiclyAccessible: z
      .boolean()
      .default(false)
      .describe("Whether the port is reachable from outside the cluster. Defaults to false."),
  })
  .describe("A port of the application.");

const variable = variableOf(environmentVariableName, "An environment variable", {});

const deploy = z
  .object({
    gitCommitId: commit.describe("Commit to deploy: 7 to 64 hex digits in lower case."),
    policy: z
      .enum(["Automatic", "Manual"])
      .default("Automatic")
      .describe(
        "Automatic deploys when the commit changes, or settings or variables that the operator wrote; Manual only " +
          "reports UpToDate=False. Defaults to Automatic.",
      ),
  })
  .describe("What is to be deployed. Nothing is deployed when absent.");

/** Sizes are in the platform's own units; its specification does not name them. */
export const spec = z
  .object({
    connectionRef: connectionRef.optional(),
    environmentRef: reference(
      "PlatformEnvironment",
      "Environment that the application is in. Cannot be changed once it exists.",
    ),
    name: displayName.describe("Name of the application; unique in the environment, whatever the case."),
    gitRepository,
    buildMode: platformValue
      .optional()
      .describe("How the source is built, in the platform's spelling, e.g. DOCKER. Left to the platform when absent."),
    dockerfilePath: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe("Path of the Dockerfile in the repository. Left to the platform when absent."),
    cpu: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe("CPU in the platform's unit. Left to the platform when absent."),
    memory: z
      .int()
      .min(1)
      .max(100_000_000)
      .optional()
      .describe("Memory in the platform's unit. Left to the platform when absent."),
    minRunningInstances: z
      .int()
      .min(0)
      .max(10_000)
      .optional()
      .describe("Fewest running instances. Left to the platform when absent."),
    maxRunningInstances: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe("Most running instances. Left to the platform when absent."),
    ports: z
      .array(port)
      .max(64)
      .optional()
      .describe("Ports, each internalPort once. Left alone when absent.")
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["internalPort"] }),
    variables: z
      .array(variable)
      .max(256)
      .default([])
      .describe("Environment variables, each name once. Others on the platform are left alone.")
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    deploy: deploy.optional(),
    runState: z
      .enum(["Running", "Stopped"])
      .default("Running")
      .describe(
        "Whether the application runs. Stopped needs a platform that can stop applications. Defaults to Running.",
      ),
    externalId: externalId.optional(),
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
  })
  .refine(
    ({ minRunningInstances: min, maxRunningInstances: max }) => min === undefined || max === undefined || min <= max,
    "minRunningInstances must not exceed maxRunningInstances",
  );

export type ApplicationSpec = z.output<typeof spec>;
