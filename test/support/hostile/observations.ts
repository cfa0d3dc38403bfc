/** Observations for property tests of kinds: any answer of the platform. */
import fc from "fast-check";

import type { Kind, ReconcileContext } from "../../../src/engine/contract/kind.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { NOTHING_OBSERVED, type ApplicationContext, type Observed } from "../../../src/kinds/application/model.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { clusterConnection, connection } from "../../../src/kinds/connection/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { environment } from "../../../src/kinds/environment/index.ts";
import { project } from "../../../src/kinds/project/index.ts";
import { NOT_READ } from "../../../src/kinds/shared/answers.ts";
import { webhook } from "../../../src/kinds/webhook/index.ts";
import { APPLICATION, ENVIRONMENT, inputsWith, passWith, print, specOf } from "../services/applications.ts";
import { blueprintObservation } from "./blueprints.ts";
import { clusterObservation } from "./clusters.ts";
import { databaseObservation } from "./databases.ts";
import {
  count,
  deployment,
  goal,
  hostile,
  ingress,
  maybe,
  request,
  runState,
  statusOf,
  stop,
  surface,
  texts,
} from "./values.ts";
import { webhookObservation } from "./webhooks.ts";

const PROJECT = "00000000-0000-4000-8000-0000000000b1";
const CLUSTER = "00000000-0000-4000-8000-0000000000c1";

const ids = fc.constantFrom(APPLICATION, ENVIRONMENT, PROJECT);

const repository = fc.record(texts("url", "branch", "provider", "rootPath", "deployedCommitId"));
const port = fc.record({
  internalPort: fc.integer(),
  externalPort: maybe(count),
  publiclyAccessible: maybe(fc.boolean()),
  ...texts("protocol"),
});
const record = fc.record({
  id: fc.constant(APPLICATION),
  name: hostile,
  gitRepository: maybe(repository),
  ...texts("buildMode", "dockerfilePath"),
  cpu: maybe(count),
  memory: maybe(count),
  ports: maybe(fc.array(port, { maxLength: 3 })),
  record: fc.constant({}),
});
const observedApplication = fc.record({
  environmentIsOurs: fc.constant(true),
  siblings: maybe(fc.array(record, { maxLength: 1 })),
  status: maybe(statusOf(APPLICATION)),
  request,
  ingress,
  keys: maybe(fc.constantFrom(new Set(["KEY"]), new Set<string>())),
});

const variables = Array.from({ length: 40 }, (_, index) => ({
  name: `KEY_${index}_${"X".repeat(200)}`,
  value: "s3cret-value",
  isSecret: true,
}));
const fingerprints = fc.constantFrom(print("old"), print("some"));
const commits = fc.constantFrom("1a2b3c4d", "feedface");
const applicationMemory = fc.record(
  {
    lastDeployment: fc.record(
      { ...deployment, gitCommitId: commits, variables: fingerprints },
      { requiredKeys: ["gitCommitId"] },
    ),
    ...stop,
    written: fc.record(
      {
        revision: fc.nat(2),
        variables: fingerprints,
        variableNames: fc.constantFrom([], ["KEY"]),
        settings: fc.constant({ "spec.cpu": "5" }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const applicationContext = fc
  .record({
    surface,
    memory: applicationMemory,
    goal,
    runState,
    withVariables: fc.boolean(),
  })
  .map(({ runState, withVariables, memory, ...rest }) => ({
    ...passWith({ ...rest, inputs: inputsWith(withVariables ? variables : []) }),
    memory,
    spec: specOf({ runState, cpu: 250, ports: [{ internalPort: 8080, protocol: "HTTP" }], name: "😀".repeat(100) }),
  }));

interface ApplicationObservation {
  readonly pass: ApplicationContext;
  readonly observed: Partial<Observed>;
}

/** Reduces an observation to the reads that this reconcile makes. */
export function readable({ pass, observed }: ApplicationObservation): ApplicationObservation {
  const { lastDeployment, written } = pass.memory;
  const open = lastDeployment?.requestId !== undefined && lastDeployment.finishedAt === undefined;
  const taken = lastDeployment === undefined && written?.variables === undefined && pass.inputs.variables.length > 0;
  const present = pass.goal === "present";
  return {
    pass,
    observed: {
      ...NOTHING_OBSERVED,
      ...observed,
      siblings: pass.supports("listServices") === "Supported" ? observed.siblings : undefined,
      request: open && present ? observed.request : undefined,
      ...(present ? {} : { ingress: NOT_READ }),
      keys: taken && present ? observed.keys : undefined,
    },
  };
}

const basePass = (spec: object, change: object = {}) => ({
  ...passWith({ id: PROJECT }),
  inputs: { projectId: PROJECT, clusterId: CLUSTER },
  memory: {},
  spec,
  ...change,
});
const counts = fc.array(fc.record({ id: ids, serviceTotalNumber: maybe(count) }), { maxLength: 3 });
const observedProject = fc.record({
  records: fc.array(
    fc.record({
      id: ids,
      name: hostile,
      ...texts("description", "createdAt", "updatedAt"),
      record: fc.constant({}),
    }),
    { maxLength: 3 },
  ),
  environments: counts,
  updated: fc.boolean(),
  deleting: fc.boolean(),
});
const observedEnvironment = fc.record({
  counts,
  records: maybe(
    fc.array(
      fc.record({
        id: ids,
        name: hostile,
        clusterId: maybe(fc.oneof(hostile, fc.constant(CLUSTER))),
        ...texts("mode", "createdAt"),
        record: fc.constant({}),
      }),
      { maxLength: 3 },
    ),
  ),
  projectIsOurs: fc.boolean(),
  updated: fc.boolean(),
  deleting: fc.boolean(),
});

export interface Observation {
  readonly pass: ReconcileContext;
  readonly observed: unknown;
}

/** The kinds with their possible observations. */
export const observations: readonly (readonly [string, Kind, fc.Arbitrary<Observation>])[] = [
  [
    "application",
    application,
    fc
      .record({ pass: applicationContext, observed: observedApplication })
      .map((observation) => readable(observation as never)),
  ],
  ["blueprint", blueprint, blueprintObservation],
  ["database", database, databaseObservation],
  ["webhook", webhook, webhookObservation],
  [
    "project",
    project,
    fc.record({
      pass: fc.constant(basePass(project.resource.spec.parse({ name: "shop", description: "😀".repeat(500) }))),
      observed: observedProject,
    }),
  ],
  [
    "environment",
    environment,
    fc.record({
      pass: fc.constantFrom("Documented", "Full").map((surface) =>
        basePass(
          environment.resource.spec.parse({
            projectRef: { name: "shop" },
            name: "staging",
            mode: "STAGING",
            clusterRef: { externalId: CLUSTER },
          }),
          { surface },
        ),
      ),
      observed: observedEnvironment,
    }),
  ],
  ["cluster", cluster, clusterObservation],
  ...[connection, clusterConnection].map((kind) => [
    "connection",
    kind,
    fc.record({
      pass: fc.constant(basePass({}, { id: undefined, identitySource: undefined })),
      observed: fc.record({ surface: maybe(fc.constantFrom("Documented", "Full")) }),
    }),
  ]),
] as unknown as (readonly [string, Kind, fc.Arbitrary<Observation>])[];
