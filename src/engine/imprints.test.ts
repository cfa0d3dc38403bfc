import { describe, expect, it } from "vitest";

import { anObject } from "../../test/support/engine-objects.ts";
import { createImprints } from "./imprints.ts";

const named = (name: string) => anObject({ meta: { name } });

describe("the imprints", () => {
  it("tell the latest of several writers", () => {
    const imprints = createImprints();
    imprints.record(named("a"), [{ id: "1", at: "2026-11-21T10:00:00.000Z" }]);
    imprints.record(named("b"), [{ id: "1", at: "2026-11-21T10:00:00.500Z" }]);
    expect(imprints.latest("1")).toBe("2026-11-21T10:00:00.500Z");
    imprints.forget(named("b"));
    expect(imprints.latest("1")).toBe("2026-11-21T10:00:00.000Z");
    expect(imprints.latest("2")).toBeUndefined();
  });

  it("name the objects that were written into since", () => {
    const imprints = createImprints();
    const at = (hour: number) => `2026-11-21T${String(hour)}:00:00.000Z`;
    expect(imprints.record(named("a"), [{ id: "1", at: at(10) }])).toEqual(["1"]);
    expect(imprints.record(named("a"), [{ id: "1", at: at(10) }])).toEqual([]);
    expect(
      imprints.record(named("a"), [
        { id: "1", at: at(11) },
        { id: "2", at: at(11) },
      ]),
    ).toEqual(["1", "2"]);
    expect(imprints.record(named("a"), [])).toEqual([]);
    expect(imprints.latest("1")).toBeUndefined();
  });

  it("tell of what was just written, and name it all the same once its status says so", () => {
    const imprints = createImprints();
    const at = "2026-11-21T10:00:00.000Z";
    imprints.note(named("a"), [{ id: "1", at }]);
    expect(imprints.latest("1")).toBe(at);
    expect(imprints.record(named("a"), [{ id: "1", at }])).toEqual(["1"]);
    imprints.forget(named("a"));
    expect(imprints.latest("1")).toBeUndefined();
  });
});
