/** Values that a platform may answer with, for property tests. */
import fc from "fast-check";

import { serviceStates } from "../../../src/platform/codec/states.ts";

const unit = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) },
  { weight: 1, arbitrary: fc.constantFrom(0x85, 0x200b, 0x2028, 0x202e, 0x2066, 0xd800, 0xdc00, 0xfeff, 0xfffd) },
);

/** Any UTF-16 text, with lone surrogates and control characters. The first use of fast-check's own takes a second. */
export function anyText(maxLength = 40): fc.Arbitrary<string> {
  return fc.array(unit, { maxLength }).map((units) => String.fromCharCode(...units));
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
/** A state, mostly one that is documented. */
export const state = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...serviceStates) }, hostile);
/** A number that may not be a valid count. */
export const count = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true }), fc.constant(1e300));
