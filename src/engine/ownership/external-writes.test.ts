import { describe, expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import { createExternalWrites } from "./external-writes.ts";

const HERE = { host: "api.example.com", organizationId: "6f1c2b1e-0000-4000-8000-000000000001" };
const named = (name: string, identity = HERE) => anObject({ meta: { name }, status: { identity } });

describe("the external writes", () => {
  it("return the latest of several writers", () => {
    const externalWrites = createExternalWrites();
    externalWrites.record(named("a"), [{ id: "1", at: "2026-11-21T10:00:00.000Z" }]);
    externalWrites.record(named("b"), [{ id: "1", at: "2026-11-21T10:00:00.500Z" }]);
    expect(externalWrites.latest("1", HERE)).toBe("2026-11-21T10:00:00.500Z");
    externalWrites.forget(named("b"), () => false);
    expect(externalWrites.latest("1", HERE)).toBe("2026-11-21T10:00:00.000Z");
    expect(externalWrites.latest("2", HERE)).toBeUndefined();
  });

  it("name the objects with a new write", () => {
    const externalWrites = createExternalWrites();
    const at = (hour: number) => `2026-11-21T${String(hour)}:00:00.000Z`;
    expect(externalWrites.record(named("a"), [{ id: "1", at: at(10) }])).toEqual(["1"]);
    expect(externalWrites.record(named("a"), [{ id: "1", at: at(10) }])).toEqual([]);
    expect(
      externalWrites.record(named("a"), [
        { id: "1", at: at(11) },
        { id: "2", at: at(11) },
      ]),
    ).toEqual(["1", "2"]);
    expect(externalWrites.record(named("a"), [])).toEqual([]);
    expect(externalWrites.latest("1", HERE)).toBeUndefined();
  });

  it("include what was just written, and still name it once the status reports it", () => {
    const externalWrites = createExternalWrites();
    const at = "2026-11-21T10:00:00.000Z";
    externalWrites.note(named("a"), [{ id: "1", at }], HERE);
    expect(externalWrites.latest("1", HERE)).toBe(at);
    expect(externalWrites.record(named("a"), [{ id: "1", at }])).toEqual(["1"]);
    externalWrites.forget(named("a"), () => false);
    expect(externalWrites.latest("1", HERE)).toBeUndefined();
  });

  it.each([{ host: "other.example.com" }, { organizationId: "6f1c2b1e-0000-4000-8000-000000000002" }])(
    "do not include writes where the same id is another object: %o",
    (there) => {
      const externalWrites = createExternalWrites();
      const at = "2026-11-21T10:00:00.000Z";
      externalWrites.record(named("a", { ...HERE, ...there }), [{ id: "1", at }]);
      externalWrites.note(named("b"), [{ id: "1", at }], { ...HERE, ...there });
      expect(externalWrites.latest("1", HERE)).toBeUndefined();
      expect(externalWrites.latest("1", { ...HERE, ...there })).toBe(at);
    },
  );

  describe("with an action", () => {
    const at = "2026-11-21T10:00:00.000Z";
    const stop = (result?: "Completed") => ({ id: "1", at, action: { op: "stopDatabase", result } });
    const held = (id: string) => id === "1";

    it("return who requested it, and name the object again once its result is known", () => {
      const externalWrites = createExternalWrites();
      externalWrites.note(named("a"), [stop()], HERE);
      expect(externalWrites.record(named("a"), [stop()])).toEqual(["1"]);
      expect(externalWrites.record(named("a"), [stop()])).toEqual([]);
      expect(externalWrites.record(named("a"), [stop("Completed")])).toEqual(["1"]);
      expect(externalWrites.action("1", HERE)).toMatchObject({ at, op: "stopDatabase", result: "Completed" });
      expect(externalWrites.action("1", HERE)?.by).toMatch(/(^|\/)a$/);
      expect(externalWrites.action("1", { ...HERE, host: "other.example.com" })).toBeUndefined();
    });

    it("do not count it as written into", () => {
      const externalWrites = createExternalWrites();
      externalWrites.record(named("a"), [stop()]);
      expect(externalWrites.latest("1", HERE)).toBeUndefined();
    });

    it("keep it for the resources that represent the object when its requester is gone", () => {
      const externalWrites = createExternalWrites();
      externalWrites.record(named("a"), [stop("Completed"), { ...stop(), id: "2" }]);
      externalWrites.forget(named("a"), held);
      expect(externalWrites.action("1", HERE)).toMatchObject({ result: "Completed" });
      expect(externalWrites.action("2", HERE)).toBeUndefined();
      externalWrites.record(named("b"), [
        { id: "1", at: "2026-11-21T11:00:00.000Z", action: { op: "deployDatabase" } },
      ]);
      expect(externalWrites.action("1", HERE)).toMatchObject({ op: "deployDatabase" });
    });
  });
});
