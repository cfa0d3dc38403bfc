/** Observations of databases for property tests: any answer of the platform. */
import fc from "fast-check";

import { NOTHING_OBSERVED, type DatabaseContext, type Observed } from "../../../src/kinds/database/model.ts";
import { followedRequest, reportedState } from "../../../src/kinds/database/reported.ts";
import { serviceStates } from "../../../src/platform/codec/states.ts";
import { DATABASE, OLD_REQUEST, passWith, REQUEST } from "../services/databases.ts";
import { count, hostile, maybe, state } from "./values.ts";

const status = fc.record({
  id: fc.constant(DATABASE),
  state,
  serviceDeploymentStatus: maybe(fc.oneof(fc.constantFrom("UP_TO_DATE", "OUT_OF_DATE", "NEVER_DEPLOYED"), hostile)),
  lastDeploymentDate: maybe(hostile),
  deploymentRequestId: maybe(fc.constantFrom(REQUEST, OLD_REQUEST)),
  deploymentRequestsCount: maybe(count),
  executionId: maybe(hostile),
});
const record = fc.record({
  id: fc.constant(DATABASE),
  name: hostile,
  type: maybe(hostile),
  version: maybe(hostile),
  mode: maybe(hostile),
  cpu: maybe(count),
  memory: maybe(count),
  storage: maybe(count),
  createdAt: maybe(hostile),
  updatedAt: maybe(hostile),
  record: fc.constant({}),
});
const shown = fc.record({
  siblings: fc.array(record, { maxLength: 1 }),
  status: maybe(status),
  request: maybe(fc.record({ deploymentRequestId: fc.constant(REQUEST), status: state })),
  types: maybe(fc.array(hostile, { maxLength: 3 })),
});
const deployment = fc.record(
  {
    requestId: fc.constant(REQUEST),
    startedAt: fc.constant("2026-11-21T09:55:00.000Z"),
    finishedAt: fc.constant("2026-11-21T09:59:00.000Z"),
    state: fc.constantFrom(...serviceStates),
    baseline: fc.constantFrom("[null,null,null]", "nonsense"),
    settings: fc.nat(2),
    attempts: fc.nat(2),
    retry: fc.constant("now"),
  },
  { requiredKeys: [] },
);
const memory = fc.record(
  {
    state: fc.constantFrom(...serviceStates),
    lastDeployment: deployment,
    runState: fc.constantFrom("Running" as const, "Stopped" as const),
    stopping: fc.constantFrom("[null,null,null]", "nonsense"),
    stopRequestId: fc.constant(OLD_REQUEST),
    written: fc.record({ revision: fc.nat(2), settings: fc.constant({ "spec.cpu": "5" }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const pass = fc
  .record({
    surface: fc.constantFrom("Documented" as const, "Full" as const),
    memory,
    goal: fc.constantFrom("present" as const, "absent" as const, "stopped" as const),
    runState: fc.constantFrom("Running", "Stopped"),
  })
  .map(({ runState, memory: known, ...rest }) => ({
    ...passWith({ ...rest, spec: { runState, mode: "MANAGED", cpu: 250, name: "😀".repeat(100) } }),
    memory: known,
  }));

interface DatabaseObservation {
  readonly pass: DatabaseContext;
  readonly observed: Partial<Observed>;
}

/** Reduces an observation to the reads that this reconcile makes. */
export function readableDatabase({ pass: of, observed }: DatabaseObservation): DatabaseObservation {
  const isFollowed = followedRequest(of) !== undefined;
  const request = isFollowed ? observed.request : undefined;
  const read =
    of.supports("listServices") === "Supported"
      ? { ...observed, request: of.goal === "present" ? request : undefined }
      : { ...reportedState(of, DATABASE, request), types: observed.types };
  return { pass: of, observed: { ...NOTHING_OBSERVED, ...read } };
}

/** Possible observations of a database. */
export const databaseObservation = fc
  .record({ pass, observed: shown })
  .map((observation) => readableDatabase(observation as DatabaseObservation));
