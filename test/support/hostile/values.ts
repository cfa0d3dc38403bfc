import fc from "fast-check";
import { expect } from "vitest";

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
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Array.prototype)).toEqual([]);
}
