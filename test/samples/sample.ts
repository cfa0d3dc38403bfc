import type { OperationId } from "../../simulator/base/operations.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { KindCases } from "../hostile/generated/outcomes.ts";
import type { Manifest } from "../support/env/cluster.ts";
import type { Fixtures } from "../support/kube/manifests.ts";

export const ID = "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11";
export const OTHER_ID = "7c1f1c7e-2d2f-4f43-8a55-5d3f0a5b7e22";
/** An id of no object. */
export const NOWHERE = "00000000-0000-4000-8000-00000000dead";

/** A `spec.runSchedule`. */
export const NIGHTS: JsonObject[] = [
  { kind: "Stop", schedule: "0 20 * * 1-5", duration: "11h", timeZone: "Europe/Berlin" },
];
/** The API server's error for a runSchedule with runState Stopped. */
export const ALWAYS_STOPPED = /spec.runSchedule cannot be combined with spec.runState Stopped/;

export type Fields = Readonly<Record<string, unknown>>;

/** Changes of the smallest spec, with undefined to remove a member, and the API server's error. */
export type Refused = readonly [title: string, change: Fields, refused: RegExp];

/** The environment in which a sample is applied. */
export interface Place {
  readonly env: Fixtures;
  /** The name of the sample. */
  readonly name: string;
  /** The name of the existing project, environment and application. */
  readonly tree: string;
  /** Further members of the spec, e.g. a lifecycle. */
  readonly spec?: JsonObject;
}

/** The data of one kind for the tests of all kinds. */
export interface Sample {
  /** The smallest valid spec. */
  readonly smallest: Fields;
  /** Valid changes of the smallest spec. */
  readonly accepted: readonly (readonly [title: string, change: Fields])[];
  readonly refused: readonly Refused[];
  /** The number of its CRD's CEL rules, which a change of the rules has to update. */
  readonly rules: number;
  /** Duplicates in lists with keys: the API server refuses them, so that the operator never receives them. */
  readonly duplicates?: readonly Refused[];
  /** Returns one that becomes Ready within seconds on the simulated platform. */
  good(place: Place): Manifest;
  /** Returns one that every schema accepts and that never becomes Ready. */
  hostile(place: Place): Manifest;
  /** The operations that change the platform for the good one. */
  readonly writes: readonly OperationId[];
  /** Returns a change of the good one's spec that requires a write; absent for kinds that never write. */
  change?(place: Place): JsonObject;
  /** The operations for that change; absent when no platform has one. */
  readonly changes?: readonly OperationId[];
  /** The expected outcome of a change of each leaf of its spec. */
  readonly leaves: KindCases;
}
