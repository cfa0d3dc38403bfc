/** Values that a platform may answer with, for property tests. */
import fc from "fast-check";
import { expect } from "vitest";

import { serviceStates } from "../../../src/platform/codec/states.ts";
import { OLD_REQUEST, REQUEST } from "../services/applications.ts";

const unit = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
  { weight: 1, arbitrary: fc.constantFrom(0x85, 0x200b, 0x2028, 0x202e, 0x2066, 0xd800, 0xdc00, 0xfeff, 0xfffd) },
);

/** Any UTF-16 text, with lone surrogates and control characters. The first use of fast-check's own takes a second. */
export function anyText(maxLength = 40): fc.Arbitrary<string> {
  return fc.array(unit, { maxLength }).map((units) => String.fromCharCode(...units));
}

/** Expects that nothing has changed the prototypes of objects and lists. */
export function expectNoPollution(): void {
  expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  expect([Object.keys(Object.prototype), Object.keys(Array.prototype)]).toEqual([[], []]);
}

/** An untrusted text: any characters, with lone surrogates, of any length. */
export const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "\uD83D",
    "😀".repeat(800),
    `x${"😀".repeat(2000)}`,
    "x".repeat(5000),
    '{"a":1}',
    "__proto__",
    "\u0000\u202E",
  ),
);
/** A value that may be undefined. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** Members with untrusted texts, each of which may be absent. */
export const texts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, maybe(hostile)])) as Record<Name, fc.Arbitrary<string | undefined>>;
/** A state, mostly one that is documented. */
export const state = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...serviceStates) }, hostile);
/** A number that may not be a valid count. */
export const count = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true }), fc.constant(1e300));
/** A date, or a text in its place. */
export const date = fc.oneof(fc.constantFrom("2026-11-21T09:01:00.000Z", "2026-11-21T09:02:00.123456Z"), hostile);

/** What surrounds a reconcile. */
export const surface = fc.constantFrom("Documented" as const, "Full" as const);
export const goal = fc.constantFrom("present" as const, "absent" as const, "stopped" as const);
export const runState = fc.constantFrom("Running" as const, "Stopped" as const);

/** The status of a service. */
export const statusOf = (id: string) =>
  fc.record({
    id: fc.constant(id),
    state,
    serviceDeploymentStatus: maybe(fc.oneof(fc.constantFrom("UP_TO_DATE", "OUT_OF_DATE", "NEVER_DEPLOYED"), hostile)),
    lastDeploymentDate: maybe(date),
    deploymentRequestId: maybe(fc.constantFrom(REQUEST, OLD_REQUEST)),
    deploymentRequestsCount: maybe(count),
    executionId: maybe(hostile),
  });
/** The state of a deployment request. */
export const request = maybe(fc.record({ deploymentRequestId: fc.constant(REQUEST), status: state }));
/** The state of a service's ingress. */
export const ingress = fc
  .record({ routerId: maybe(hostile), status: maybe(state) })
  .map((value) => ({ value, fault: undefined }));

const baseline = fc.constantFrom("[null,null,null]", "nonsense");
/** What the status of a service remembers of its last deployment. */
export const deployment = {
  requestId: fc.constant(REQUEST),
  startedAt: fc.constant("2026-11-21T09:55:00.000Z"),
  finishedAt: fc.constant("2026-11-21T09:59:00.000Z"),
  state: fc.constantFrom(...serviceStates),
  baseline,
  settings: fc.nat(2),
  retry: fc.constant("now"),
};
/** What it remembers of a stop. */
export const stop = { runState, stopping: baseline };
