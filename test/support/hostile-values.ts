/** Values that a platform may answer with, for property tests. */
import fc from "fast-check";

import { serviceStates } from "../../src/platform/states.ts";

/** A text of anybody: any characters, halves of pairs among them, and of any length. */
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
/** What may be missing. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
/** A state, mostly one that is documented. */
export const state = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...serviceStates) }, hostile);
/** A number that may be no count. */
export const count = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true }), fc.constant(1e300));
