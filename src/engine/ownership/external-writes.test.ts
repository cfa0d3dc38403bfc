import { describe, expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import { createExternalWrites } from "./external-writes.ts";

const HERE = { host: "api.example.com", organizationId: "6f1c2b1e-0000-4000-8000-000000000001" };
/** A resource represents the object "held". */
const isHeld = (id: string): boolean => id === "held";
const at = "2026-11-21T10:00:00.000Z";
const named = (name: string, identity = HERE) => anObject({ meta: { name }, status: { writeLedger: { identity } } });

describe("the external writes", () => {
  it("return the latest of several writers", () => {
    const writes = createExternalWrites(isHeld);
    writes.record(named("a"), [{ id: "1", writtenAt: at }]);
    writes.record(named("b"), [{ id: "1", writtenAt: "2026-11-21T10:00:00.500Z" }]);
    expect(writes.latest("1", HERE)).toBe("2026-11-21T10:00:00.500Z");
    writes.forget(named("b"));
    expect(writes.latest("1", HERE)).toBe(at);
    expect(writes.latest("2", HERE)).toBeUndefined();
  });

  it("name the objects with a new write", () => {
    const writes = createExternalWrites(isHeld);
    const later = ["1", "2"].map((id) => ({ id, writtenAt: "2026-11-21T11:00:00.000Z" }));
    expect(writes.record(named("a"), [{ id: "1", writtenAt: at }])).toEqual(["1"]);
    expect(writes.record(named("a"), [{ id: "1", writtenAt: at }])).toEqual([]);
    expect(writes.record(named("a"), later)).toEqual(["1", "2"]);
    expect(writes.record(named("a"), [])).toEqual([]);
    expect(writes.latest("1", HERE)).toBeUndefined();
  });

  it("do not include those of the reader, and do not name its own object", () => {
    const writes = createExternalWrites(isHeld);
    const own = anObject({ meta: { name: "a" }, status: { writeLedger: { identity: HERE }, externalId: "1" } });
    expect(writes.record(own, [{ id: "1", writtenAt: at }])).toEqual([]);
    writes.note(own, [{ id: "1", writtenAt: at }], HERE);
    expect(writes.latest("1", HERE)).toBe(at);
    expect(writes.latest("1", HERE, own)).toBeUndefined();
    writes.record(named("b"), [{ id: "1", writtenAt: "2026-11-21T09:00:00.000Z" }]);
    expect(writes.latest("1", HERE, own)).toBe("2026-11-21T09:00:00.000Z");
  });

  it("include what was just written, and still name it once the status reports it", () => {
    const writes = createExternalWrites(isHeld);
    writes.note(named("a"), [{ id: "1", writtenAt: at }], HERE);
    expect(writes.latest("1", HERE)).toBe(at);
    expect(writes.record(named("a"), [{ id: "1", writtenAt: at }])).toEqual(["1"]);
    writes.forget(named("a"));
    expect(writes.latest("1", HERE)).toBeUndefined();
  });

  it.each([{ host: "other.example.com" }, { organizationId: "6f1c2b1e-0000-4000-8000-000000000002" }])(
    "do not include writes where the same id is another object: %o",
    (there) => {
      const writes = createExternalWrites(isHeld);
      const elsewhere = { ...HERE, ...there };
      writes.record(named("a", elsewhere), [{ id: "1", writtenAt: at }]);
      writes.note(named("b"), [{ id: "1", writtenAt: at }], elsewhere);
      expect(writes.latest("1", HERE)).toBeUndefined();
      expect(writes.latest("1", elsewhere)).toBe(at);
    },
  );

  describe("that are not reported any more", () => {
    const [before, after] = [at, "2026-11-21T11:00:00.000Z"];
    const write = (writtenAt: string, id = "held") => ({ id, writtenAt });

    /** Writers whose status reported a write, and which have made another one since. */
    function withUnreported() {
      const writes = createExternalWrites(isHeld);
      writes.record(named("a"), [write(before), write(before, "1")]);
      writes.note(named("a"), [write(after), write(after, "1")], HERE);
      return writes;
    }

    it("stay, and are named once, where their writer is gone", () => {
      const writes = withUnreported();
      expect(writes.forget(named("a"))).toEqual(["held"]);
      expect(writes.latest("held", HERE)).toBe(after);
      expect(writes.latest("1", HERE)).toBeUndefined();
    });

    it("stay, and are named once, where its status does not have the object any more", () => {
      const writes = withUnreported();
      expect(writes.record(named("a"), [])).toEqual(["held"]);
      expect(writes.record(named("a"), [])).toEqual([]);
      writes.note(named("a"), [], HERE);
      expect(writes.latest("held", HERE)).toBe(after);
      expect(writes.latest("1", HERE)).toBeUndefined();
      expect(writes.forget(named("a"))).toEqual([]);
    });

    it("stay without being named where the status had reported them", () => {
      const writes = createExternalWrites(isHeld);
      writes.record(named("a"), [write(before)]);
      writes.note(named("a"), [write(before)], HERE);
      expect(writes.forget(named("a"))).toEqual([]);
      expect(writes.latest("held", HERE)).toBe(before);
    });

    it("are forgotten with the last resource that represents the object", () => {
      const held = new Set(["held"]);
      const writes = createExternalWrites((id) => held.has(id));
      writes.record(named("a"), [write(before)]);
      writes.forget(named("a"));
      held.clear();
      writes.forget(
        anObject({ meta: { name: "web" }, status: { externalId: "held", writeLedger: { identity: HERE } } }),
      );
      expect(writes.latest("held", HERE)).toBeUndefined();
    });
  });
});
