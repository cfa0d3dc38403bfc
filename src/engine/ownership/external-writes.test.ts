import { describe, expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import { createExternalWrites } from "./external-writes.ts";

const HERE = { host: "api.example.com", organizationId: "6f1c2b1e-0000-4000-8000-000000000001" };
/** A resource represents the object "held". */
const isHeld = (id: string): boolean => id === "held";
const at = "2026-11-21T10:00:00.000Z";
const named = (name: string, identity = HERE) => anObject({ meta: { name }, status: { identity } });

describe("the external writes", () => {
  it("return the latest of several writers", () => {
    const externalWrites = createExternalWrites(isHeld);
    externalWrites.record(named("a"), [{ id: "1", at }]);
    externalWrites.record(named("b"), [{ id: "1", at: "2026-11-21T10:00:00.500Z" }]);
    expect(externalWrites.latest("1", HERE)).toBe("2026-11-21T10:00:00.500Z");
    externalWrites.forget(named("b"));
    expect(externalWrites.latest("1", HERE)).toBe(at);
    expect(externalWrites.latest("2", HERE)).toBeUndefined();
  });

  it("name the objects with a new write", () => {
    const externalWrites = createExternalWrites(isHeld);
    const later = ["1", "2"].map((id) => ({ id, at: "2026-11-21T11:00:00.000Z" }));
    expect(externalWrites.record(named("a"), [{ id: "1", at }])).toEqual(["1"]);
    expect(externalWrites.record(named("a"), [{ id: "1", at }])).toEqual([]);
    expect(externalWrites.record(named("a"), later)).toEqual(["1", "2"]);
    expect(externalWrites.record(named("a"), [])).toEqual([]);
    expect(externalWrites.latest("1", HERE)).toBeUndefined();
  });

  it("include what was just written, and still name it once the status reports it", () => {
    const externalWrites = createExternalWrites(isHeld);
    externalWrites.note(named("a"), [{ id: "1", at }], HERE);
    expect(externalWrites.latest("1", HERE)).toBe(at);
    expect(externalWrites.record(named("a"), [{ id: "1", at }])).toEqual(["1"]);
    externalWrites.forget(named("a"));
    expect(externalWrites.latest("1", HERE)).toBeUndefined();
  });

  it.each([{ host: "other.example.com" }, { organizationId: "6f1c2b1e-0000-4000-8000-000000000002" }])(
    "do not include writes where the same id is another object: %o",
    (there) => {
      const externalWrites = createExternalWrites(isHeld);
      const elsewhere = { ...HERE, ...there };
      externalWrites.record(named("a", elsewhere), [{ id: "1", at }]);
      externalWrites.note(named("b"), [{ id: "1", at }], elsewhere);
      expect(externalWrites.latest("1", HERE)).toBeUndefined();
      expect(externalWrites.latest("1", elsewhere)).toBe(at);
    },
  );

  describe("with an action", () => {
    const stop = (result?: "Completed") => ({ id: "1", at, action: { op: "stopDatabase", result } });

    it("return who requested it, and name the object again once its result is known", () => {
      const externalWrites = createExternalWrites(isHeld);
      externalWrites.note(named("a"), [stop()], HERE);
      expect(externalWrites.record(named("a"), [stop()])).toEqual(["1"]);
      expect(externalWrites.record(named("a"), [stop()])).toEqual([]);
      expect(externalWrites.record(named("a"), [stop("Completed")])).toEqual(["1"]);
      expect(externalWrites.action("1", HERE)).toMatchObject({ at, op: "stopDatabase", result: "Completed" });
      expect(externalWrites.action("1", HERE)?.by).toMatch(/(^|\/)a$/);
      expect(externalWrites.action("1", { ...HERE, host: "other.example.com" })).toBeUndefined();
    });

    it("do not count it as written into", () => {
      const externalWrites = createExternalWrites(isHeld);
      externalWrites.record(named("a"), [stop()]);
      expect(externalWrites.latest("1", HERE)).toBeUndefined();
    });

    it("keep it for the resources that represent the object when its requester is gone", () => {
      const externalWrites = createExternalWrites(isHeld);
      externalWrites.note(named("a"), [{ ...stop(), id: "held" }], HERE);
      externalWrites.record(named("a"), [{ ...stop("Completed"), id: "held" }, stop()]);
      expect(externalWrites.forget(named("a"))).toEqual([]);
      expect(externalWrites.action("held", HERE)).toMatchObject({ result: "Completed" });
      expect(externalWrites.action("1", HERE)).toBeUndefined();
      const deploy = { id: "held", at: "2026-11-21T11:00:00.000Z", action: { op: "deployDatabase" } };
      externalWrites.record(named("b"), [deploy]);
      expect(externalWrites.action("held", HERE)).toMatchObject({ op: "deployDatabase" });
    });
  });

  describe("that are not reported any more", () => {
    const [before, after] = [at, "2026-11-21T11:00:00.000Z"];
    const write = (at: string, id = "held") => ({ id, at });

    /** Writers whose status reported a write, and which have made another one since. */
    function withUnreported() {
      const externalWrites = createExternalWrites(isHeld);
      externalWrites.record(named("a"), [write(before), write(before, "1")]);
      externalWrites.note(named("a"), [write(after), write(after, "1")], HERE);
      return externalWrites;
    }

    it("stay, and are named once, where their writer is gone", () => {
      const externalWrites = withUnreported();
      expect(externalWrites.forget(named("a"))).toEqual(["held"]);
      expect([externalWrites.latest("held", HERE), externalWrites.latest("1", HERE)]).toEqual([after, undefined]);
    });

    it("stay, and are named once, where its status does not have the object any more", () => {
      const externalWrites = withUnreported();
      expect(externalWrites.record(named("a"), [])).toEqual(["held"]);
      expect(externalWrites.record(named("a"), [])).toEqual([]);
      externalWrites.note(named("a"), [], HERE);
      expect([externalWrites.latest("held", HERE), externalWrites.latest("1", HERE)]).toEqual([after, undefined]);
      expect(externalWrites.forget(named("a"))).toEqual([]);
    });

    it("stay without being named where the status had reported them", () => {
      const externalWrites = createExternalWrites(isHeld);
      externalWrites.record(named("a"), [write(before)]);
      externalWrites.note(named("a"), [write(before)], HERE);
      expect(externalWrites.forget(named("a"))).toEqual([]);
      expect(externalWrites.latest("held", HERE)).toBe(before);
    });

    it("are forgotten with the last resource that represents the object", () => {
      const held = new Set(["held"]);
      const externalWrites = createExternalWrites((id) => held.has(id));
      externalWrites.record(named("a"), [write(before)]);
      externalWrites.forget(named("a"));
      held.clear();
      externalWrites.forget(anObject({ meta: { name: "web" }, status: { externalId: "held", identity: HERE } }));
      expect(externalWrites.latest("held", HERE)).toBeUndefined();
    });
  });
});
