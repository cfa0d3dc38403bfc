/** Observations of databases for property tests: any answer of the platform. */
import fc from "fast-check";

import { NOTHING_OBSERVED, type DatabaseContext, type Observed } from "../../../src/kinds/database/model.ts";
import { followedRequest, reportedState } from "../../../src/kinds/database/reported.ts";
import { serviceStates } from "../../../src/platform/codec/states.ts";
import { DATABASE, OLD_REQUEST, passWith } from "../services/databases.ts";
import {
  count,
  deployment,
  goal,
  hostile,
  maybe,
  request,
  runState,
  statusOf,
  stop,
  surface,
  texts,
} from "./values.ts";

const record = fc.record({
  id: fc.constant(DATABASE),
  name: hostile,
  cpu: maybe(count),
  memory: maybe(count),
  storage: maybe(count),
  ...texts("type", "version", "mode", "createdAt", "updatedAt"),
  record: fc.constant({}),
});
const shown = fc.record({
  siblings: fc.array(record, { maxLength: 1 }),
  status: maybe(statusOf(DATABASE)),
  request,
  types: maybe(fc.array(hostile, { maxLength: 3 })),
});
const memory = fc.record(
  {
    state: fc.constantFrom(...serviceStates),
    lastDeployment: fc.record({ ...deployment, attempts: fc.nat(2) }, { requiredKeys: [] }),
    ...stop,
    stopRequestId: fc.constant(OLD_REQUEST),
    written: fc.record({ revision: fc.nat(2), settings: fc.constant({ "spec.cpu": "5" }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const pass = fc.record({ surface, memory, goal, runState }).map(({ runState, memory: known, ...rest }) => ({
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
