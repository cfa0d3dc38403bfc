import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { ID, idOf, memoryOrphans, memoryConfigMaps, orphan } from "../../../test/support/platform/orphans.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { DEFAULT_WINDOWS } from "../contract/windows.ts";
import type { OrphanChange, Orphans } from "./ledger.ts";

/** A ledger, and `again`, which makes another process over the same ConfigMaps. */
function ground(configMaps = memoryConfigMaps()) {
  const clock = manualClock();
  const told: OrphanChange[] = [];
  const again = (): Orphans => memoryOrphans(clock, configMaps, told);
  return { configMaps, clock, told, ledger: again(), again };
}

const what = (told: readonly OrphanChange[]): readonly string[] => told.map(({ is }) => is);
const refused = (): Promise<never> => Promise.reject(new KubeError("Forbidden", 403, "forbidden"));

describe("the orphan ledger", () => {
  it("finds what it recorded by the resource and by the object, in this process and in the next", async () => {
    const { ledger, again, told } = ground();
    await ledger.add(orphan());
    const next = again();
    expect(next.find(orphan())).toBeUndefined();
    await next.load();
    for (const one of [ledger, next]) {
      expect(one.find(orphan())).toEqual(orphan());
      expect(one.get(orphan())).toEqual(orphan());
      expect(one.find(orphan({ name: "other" }))).toBeUndefined();
      expect(one.all().map(({ kind }) => kind)).toEqual(["PlatformEnvironment"]);
    }
    expect(what(told)).toEqual(["recorded"]);
  });

  it("writes many in two writes: the one that is under way, and one for all that came meanwhile", async () => {
    const { ledger, configMaps } = ground();
    const open = Promise.withResolvers<void>();
    configMaps.before = () => open.promise;
    const first = ledger.add(orphan({ id: idOf(0), name: "pr-0" }));
    await Promise.resolve();
    await Promise.resolve();
    const others = Array.from({ length: 300 }, async (_, index) =>
      ledger.add(orphan({ id: idOf(index + 1), name: `pr-${String(index + 1)}` })),
    );
    open.resolve();
    await Promise.all([first, ...others]);
    expect(configMaps.all()).toHaveLength(301);
    expect(configMaps.writes).toBe(2);
  });

  it("writes nothing for what it has", async () => {
    const { ledger, configMaps, told } = ground();
    await ledger.add(orphan());
    await ledger.add(orphan({ at: "2026-11-22T10:00:00.000Z" }));
    expect(configMaps.writes).toBe(1);
    expect(what(told)).toEqual(["recorded"]);
  });

  it("takes the newest of a resource", async () => {
    const { ledger } = ground();
    await ledger.add(orphan({ id: idOf(2), at: "2026-11-22T10:00:00.000Z" }));
    await ledger.add(orphan({ id: idOf(1), at: "2026-11-21T10:00:00.000Z" }));
    expect(ledger.find(orphan())?.id).toBe(idOf(2));
  });

  it("drops what a resource has recorded again", async () => {
    const { ledger, configMaps, told, again } = ground();
    await ledger.add(orphan());
    ledger.found(orphan({ organizationId: idOf(9) }));
    expect(ledger.find(orphan())).toBeDefined();
    ledger.found(orphan());
    expect(ledger.find(orphan())).toBeUndefined();
    await ledger.close();
    expect(configMaps.all()).toEqual([]);
    expect(what(told)).toEqual(["recorded", "found"]);
    const next = again();
    await next.load();
    expect(next.all()).toEqual([]);
  });

  it("does not write over what others wrote meanwhile, and believes what they removed", async () => {
    const { ledger, again, told } = ground();
    const other = again();
    await ledger.add(orphan({ id: idOf(1), name: "a" }));
    await other.load();
    await other.add(orphan({ id: idOf(2), name: "b" }));
    await ledger.add(orphan({ id: idOf(3), name: "c" }));
    const last = again();
    await last.load();
    expect(["a", "b", "c"].map((name) => last.find(orphan({ name }))?.id)).toEqual([idOf(1), idOf(2), idOf(3)]);
    expect(ledger.find(orphan({ name: "b" }))?.id).toBe(idOf(2));
    expect(what(told)).toEqual(["recorded", "recorded", "recorded"]);
  });

  it("knows what a person forgot: when it is asked for, and at the latest after the poll interval", async () => {
    const { ledger, configMaps, told, clock } = ground();
    await ledger.load();
    await ledger.add(orphan());
    await ledger.add(orphan({ id: idOf(2), name: "b" }));
    configMaps.edit(ID);
    expect(await ledger.confirm(orphan())).toBeUndefined();
    expect(await ledger.confirm(orphan({ id: idOf(2), name: "b" }))).toBeDefined();
    configMaps.edit(idOf(2));
    await clock.advance(DEFAULT_WINDOWS.pollMs);
    expect(ledger.all()).toEqual([]);
    expect(what(told)).toEqual(["recorded", "recorded", "forgotten", "forgotten"]);
    await ledger.close();
  });

  it("begins anew where its ConfigMap was deleted", async () => {
    const { ledger, configMaps } = ground();
    await ledger.add(orphan());
    configMaps.held.clear();
    await ledger.add(orphan({ id: idOf(2), name: "b" }));
    expect(configMaps.all()).toHaveLength(1);
    expect(ledger.find(orphan())).toBeUndefined();
  });

  it("says that it could not store an entry, knows it nevertheless, and tries again", async () => {
    const { ledger, configMaps, told, clock } = ground();
    configMaps.before = refused;
    await expect(ledger.add(orphan())).rejects.toThrow("forbidden");
    await expect(ledger.add(orphan())).rejects.toThrow("forbidden");
    expect(ledger.find(orphan())).toEqual(orphan());
    expect(await ledger.confirm(orphan())).toEqual(orphan());
    expect(told).toEqual([]);
    configMaps.before = () => Promise.resolve();
    await clock.advance(DEFAULT_WINDOWS.backoffMaxMs);
    expect(configMaps.all()).toHaveLength(1);
    expect(what(told)).toEqual(["recorded"]);
    await ledger.close();
  });

  it("is bounded: the oldest goes first, and that is told", async () => {
    const configMaps = memoryConfigMaps(2);
    const { ledger, told } = ground(configMaps);
    const memory = { blob: "x".repeat(7_000) };
    for (let index = 0; index < 90; index += 1) {
      const at = `2026-11-21T10:00:${String(index % 60).padStart(2, "0")}.${String(Math.floor(index / 60))}00Z`;
      await ledger.add(orphan({ id: idOf(index), name: `pr-${String(index)}`, at, memory }));
    }
    const sizes = [...configMaps.held.values()].map(({ data }) => Buffer.byteLength(JSON.stringify([...data])));
    expect(sizes).toHaveLength(2);
    for (const size of sizes) expect(size).toBeLessThan(300 * 1_024);
    const dropped = told.filter(({ is }) => is === "dropped").map(({ orphan: { at } }) => at);
    expect(dropped.length).toBeGreaterThan(0);
    expect(dropped).toEqual(dropped.toSorted());
    expect(dropped.length + configMaps.all().length).toBe(90);
    expect(ledger.find(orphan({ name: "pr-0", externalName: "pr-7" }))).toBeUndefined();
    expect(ledger.find(orphan({ name: "pr-59", externalName: "pr-7" }))).toBeDefined();
  });
});
