import { describe, expect, it } from "vitest";
import { z } from "zod";

import { parseSpec } from "./spec.ts";

describe("parseSpec", () => {
  const schema = z.object({ size: z.number().default(3) });

  it("parses a spec once for as long as the object has it", () => {
    const spec = { size: 1 };
    const first = parseSpec(schema, { spec });
    expect(first.data).toEqual({ size: 1 });
    expect(parseSpec(schema, { spec })).toBe(first);
    expect(parseSpec(schema, { spec: { ...spec } })).not.toBe(first);
  });

  it("keeps the results of two schemas apart", () => {
    const spec = { size: 1 };
    expect(parseSpec(schema, { spec }).success).toBe(true);
    expect(parseSpec(z.object({ name: z.string() }), { spec }).success).toBe(false);
  });

  it.each([
    ["no spec", undefined, { size: 3 }],
    ["null", null, { size: 3 }],
    ["text", "x", undefined],
  ])("takes %s", (_, spec, data) => {
    expect(parseSpec(schema, { spec }).data).toEqual(data);
  });
});
