import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLine } from "./line.ts";

const LANES = ["a", "b", "c"] as const;

describe("the line before the gate", () => {
  it("knows how many go before one that joins, whatever waits, and lets all of them on", () => {
    const joins = fc.array(fc.constantFrom(...LANES), { maxLength: 30 });
    fc.assert(
      fc.property(joins, joins, fc.constantFrom(...LANES), (before, lanes, last) => {
        const line = createLine();
        const served: string[] = [];
        for (const lane of before) {
          line.join(lane, { needs: 1, go: () => {} });
          line.next(1);
        }
        for (const lane of lanes) line.join(lane, { needs: 1, go: () => served.push(lane) });
        const ahead = line.ahead(last);
        line.join(last, { needs: 1, go: () => served.push("last") });
        expect(line.size).toBe(lanes.length + 1);
        for (let next = line.next(1); next !== undefined; next = line.next(1)) next.go();
        expect(line.size).toBe(0);
        expect(served).toHaveLength(lanes.length + 1);
        expect(served.indexOf("last")).toBe(ahead);
      }),
    );
  });

  it("lets on at once who asks seldom, and forgets lanes in which nobody is", () => {
    const line = createLine(4);
    const served: string[] = [];
    const join = (lane: string): void => {
      line.join(lane, { needs: 1, go: () => served.push(lane) });
    };
    const next = (): void => line.next(1)?.go();
    for (const lane of ["noisy", "noisy", "noisy"]) join(lane);
    next();
    join("quiet");
    next();
    next();
    join("quiet");
    next();
    expect(served).toEqual(["noisy", "quiet", "noisy", "quiet"]);
    for (const lane of ["a", "b", "c", "d"]) {
      join(lane);
      next();
    }
    // Its last turn was before that of the others, but nobody remembers: it comes first as a new one would.
    join("a");
    join("quiet");
    next();
    expect(served.slice(4)).toEqual(["a", "b", "c", "d", "quiet"]);
    expect(line.size).toBe(2);
  });

  it("passes over who needs more than there is", () => {
    const line = createLine();
    const served: string[] = [];
    line.join("a", { needs: 3, go: () => served.push("a") });
    line.join("b", { needs: 1, go: () => served.push("b") });
    expect(line.least()).toBe(1);
    line.next(1)?.go();
    expect([line.next(1), line.least()]).toEqual([undefined, 3]);
    line.next(3)?.go();
    expect(served).toEqual(["b", "a"]);
    expect([line.size, line.least()]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});
