import { describe, expect, it } from "vitest";
import { z } from "zod";

import { memoryIn } from "./status.ts";

describe("the memory in a status", () => {
  const memory = z.object({ sent: z.number().optional() });

  it("is parsed once for as long as the object has the status", () => {
    const status = { writeLedger: { sent: 1 } };
    const first = memoryIn({ memory }, { status });
    expect(first).toEqual({ sent: 1 });
    expect(memoryIn({ memory }, { status })).toBe(first);
    expect(memoryIn({ memory }, { status: { ...status } })).not.toBe(first);
  });

  it("is parsed for each schema", () => {
    const status = { writeLedger: { sent: 1 } };
    memoryIn({ memory }, { status });
    expect(memoryIn({ memory: z.object({}) }, { status })).toEqual({});
  });

  it.each([undefined, null, "text"])("is empty without a status: %j", (status) => {
    expect(memoryIn({ memory }, { status })).toEqual({});
  });
});
