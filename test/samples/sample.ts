import type { OperationId } from "../../simulator/base/operations.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Caller } from "../../src/platform/client/caller.ts";
import type { KindCases } from "../hostile/generated/outcomes.ts";
import type { Manifest } from "../support/env/cluster.ts";
import type { Fixtures } from "../support/kube/manifests.ts";

export const ID = "0b5e8a52-6a83-4f0b-9c6e-2f3a3d1c9a11";
export const OTHER_ID = "7c1f1c7e-2d2f-4f43-8a55-5d3f0a5b7e22";
/** The id of nothing. */
export const NOWHERE = "00000000-0000-4000-8000-00000000dead";

/** A `spec.runSchedule`. */
export const NIGHTS: JsonObject[] = [
  { kind: "Stop", schedule: "0 20 * * 1-5", duration: "11h", timeZone: "Europe/Berlin" },
];
/** What the API server says of one beside runState Stopped. */
export const ALWAYS_STOPPED = /spec.runSchedule stops what runs otherwise/;

export type Fields = Readonly<Record<string, unknown>>;

/** What is laid over the smallest spec, undefined to take a member away, and what the API server says to it. */
export type Refused = readonly [title: string, change: Fields, refused: RegExp];

/** Where a sample is applied. */
export interface Place {
  readonly env: Fixtures;
  /** The name of the sample. */
  readonly name: string;
  /** The name of the project, the environment and the application that stand already. */
  readonly ground: string;
  /** Members that are laid over the spec, e.g. a lifecycle. */
  readonly spec?: JsonObject;
}

/** An area of the client for records that have a name (platform/client/endpoints.ts, crud). */
export interface PlainArea {
  /** What its operations are called after, e.g. "Registry" and "Registries". */
  readonly one: string;
  readonly several: string;
  readonly make: (caller: Caller) => {
    list(): Promise<unknown>;
    create(input: { readonly name: string }): Promise<PlainRecord>;
    get(id: string): Promise<unknown>;
    update(current: PlainRecord, input: { readonly name: string }): Promise<unknown>;
    delete(id: string): Promise<unknown>;
  };
}

interface PlainRecord {
  readonly id: string;
  readonly name: string;
  readonly record: Readonly<Record<string, unknown>>;
}

/** What the tests of every kind need to know of one kind. */
export interface Sample {
  /** The smallest valid spec. */
  readonly smallest: Fields;
  /** What may be laid over it. */
  readonly accepted: readonly (readonly [title: string, change: Fields])[];
  readonly refused: readonly Refused[];
  /** How many CEL rules its CRD has: a number that changed is looked at. */
  readonly rules: number;
  /** Duplicates in lists that the API server keys: the operator never receives them. */
  readonly duplicates?: readonly Refused[];
  /** Returns one that the simulated platform has within seconds. */
  good(place: Place): Manifest;
  /** Returns one that gets past every schema and never becomes Ready. */
  hostile(place: Place): Manifest;
  /** The area of a kind of plain records, whose operations are all called like those of other such kinds. */
  readonly area?: PlainArea;
  /** What the good one asks the platform to change, as operations of the simulator. */
  readonly writes: readonly OperationId[];
  /** Returns a change of the good one's spec that the platform would be told of; absent for kinds that never write. */
  change?(place: Place): JsonObject;
  /** What that change asks the platform for; absent where no platform can do it. */
  readonly changes?: readonly OperationId[];
  /** Every leaf of its spec, and what becomes of a change of it. */
  readonly leaves: KindCases;
}
