import { z } from "zod";

import { AGE, MESSAGE, READY, REASON, REMOTE_ID } from "./base/columns.ts";
import {
  connectionRef,
  displayName,
  EXACTLY_ONE_VALUE,
  externalId,
  hasOneValue,
  ONE_VALUE,
  platformValue,
  reference,
  stoppableLifecycle,
  valueFrom,
} from "./base/fields.ts";
import type { Resource } from "./base/resource.ts";
import { EXTERNAL_ID_STAYS, lockedOnceRecorded } from "./base/rules.ts";
import { fingerprint, id, kept, livingStatus, text, time } from "./base/status.ts";

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

const variable = z
  .object({
    name: z
      .string()
      .max(255)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")
      .describe("Name of the variable."),
    value: z
      .string()
      .max(32768)
      .optional()
      .describe("The value. It is not protected here: use valueFrom for a secret."),
    valueFrom: valueFrom.optional(),
    secret: z
      .boolean()
      .optional()
      .describe(
        "Whether the platform keeps the value as a secret. Defaults to true for a value from a Secret, else to false.",
      ),
  })
  .refine(hasOneValue, EXACTLY_ONE_VALUE)
  .meta({ description: "An environment variable: exactly one of value and valueFrom.", ...ONE_VALUE });

const commit = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{7,64}$/, "must be 7 to 64 hex digits in lower case");

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
const spec = z
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
    lifecycle: stoppableLifecycle,
  })
  .refine(
    ({ minRunningInstances: min, maxRunningInstances: max }) => min === undefined || max === undefined || min <= max,
    "minRunningInstances must not exceed maxRunningInstances",
  );

export type ApplicationSpec = z.output<typeof spec>;
export type ApplicationVariable = ApplicationSpec["variables"][number];

const lastDeployment = z
  .object({
    requestId: id.optional().describe("The platform's id of the deployment request; absent when it gave none."),
    gitCommitId: text.describe("Commit that was asked for."),
    state: text.optional().describe("State of the deployment, verbatim."),
    startedAt: time.optional().describe("When the operator asked for it."),
    finishedAt: time.optional().describe("When the operator saw it end."),
    settings: text.optional().describe("Stands for the settings that it was made with."),
    variables: fingerprint.optional().describe("Stands for the variables that it was made with."),
    retry: text.optional().describe("The reconcile-requested-at annotation that it was retried for."),
  })
  .describe("The last deployment that the operator asked for, or the one that it found when it took over.");

const lastFailure = z
  .object({
    state: text.describe("State that the platform reported, verbatim."),
    message: text.describe("What it means and what to do."),
    gitCommitId: text.optional().describe("Commit that failed."),
    requestId: id.optional().describe("The platform's id of the failed request."),
    at: time.optional().describe("When the operator saw it."),
  })
  .describe("The last failure, kept until a deployment succeeds.");

const written = z
  .object({
    settings: z
      .record(z.string(), z.string().max(8192).describe("The value as JSON."))
      .optional()
      .describe("The settings as they were last sent, by path in the spec.")
      .meta({ maxProperties: 64 }),
    variables: fingerprint.optional().describe("Stands for the variables as they were last sent."),
    variableNames: z
      .array(text.describe("Name of a variable."))
      .max(256)
      .optional()
      .describe("Names of the variables that were last sent.")
      .meta({ "x-kubernetes-list-type": "set" }),
  })
  .describe("What the operator last wrote, where the platform cannot tell it back.");

const runState = z.enum(["Running", "Stopped"]).describe("The run state that the operator last brought about.");

const memory = z
  .object({
    lastDeployment: kept(lastDeployment),
    lastFailure: kept(lastFailure),
    written: kept(written),
    runState: kept(runState),
  })
  .catch({});

export type ApplicationMemory = z.output<typeof memory>;
export type LastDeployment = z.output<typeof lastDeployment>;

export const platformApplication: Resource<ApplicationSpec, ApplicationMemory> = {
  kind: "PlatformApplication",
  plural: "platformapplications",
  singular: "platformapplication",
  shortNames: ["papp"],
  scope: "Namespaced",
  description: "An application that the platform builds from git and runs in an environment.",
  spec,
  memory,
  status: livingStatus({
    state: text.optional().describe("State of the application on the platform, verbatim, e.g. DEPLOYED."),
    serviceDeploymentStatus: text
      .optional()
      .describe("Whether the platform thinks that its settings are deployed, verbatim, e.g. UP_TO_DATE."),
    environmentId: id.optional().describe("Id of the environment that the application is in."),
    commit: text.optional().describe("The first seven digits of the commit of the last deployment."),
    lastDeployment: lastDeployment.optional(),
    lastFailure: lastFailure.optional(),
    written: written.optional(),
    runState: runState.optional(),
    ingress: z
      .object({
        routerId: id.optional().describe("The platform's id of the router."),
        status: text.optional().describe("State of the ingress, verbatim."),
      })
      .optional()
      .describe("The way from outside to the application."),
  }),
  rules: [
    EXTERNAL_ID_STAYS,
    lockedOnceRecorded("environmentRef"),
    {
      rule:
        "!has(self.spec.minRunningInstances) || !has(self.spec.maxRunningInstances) || " +
        "self.spec.minRunningInstances <= self.spec.maxRunningInstances",
      message: "spec.minRunningInstances must not exceed spec.maxRunningInstances",
    },
  ],
  columns: [
    READY,
    { name: "State", type: "string", jsonPath: ".status.state", description: "State on the platform, verbatim." },
    { name: "Commit", type: "string", jsonPath: ".status.commit", description: "Commit of the last deployment." },
    {
      name: "Since",
      type: "date",
      jsonPath: ".status.lastDeployment.startedAt",
      description: "Time since the last deployment was asked for.",
    },
    { name: "Env", type: "string", jsonPath: ".spec.environmentRef.name", description: "The environment it is in." },
    {
      name: "Deployed-At",
      type: "string",
      jsonPath: ".status.lastDeployment.finishedAt",
      description: "When the last deployment ended.",
      priority: 1,
    },
    {
      name: "Ingress",
      type: "string",
      jsonPath: ".status.ingress.status",
      description: "State of the ingress, verbatim.",
      priority: 1,
    },
    REMOTE_ID,
    { ...REASON, priority: 1 },
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
};
