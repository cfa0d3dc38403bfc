/** The ConfigMaps of an orphan ledger in memory, and entries for it. */
import { DEFAULT_WINDOWS } from "../../../src/engine/contract/windows.ts";
import { createOrphans, type OrphanChange, type Orphans } from "../../../src/engine/orphans/ledger.ts";
import { signed, type Orphan } from "../../../src/engine/orphans/orphan.ts";
import { KubeError } from "../../../src/kube/api/errors.ts";
import type { Clock } from "../../../src/kube/api/types.ts";
import type { ConfigMaps } from "../../../src/kube/write/config-maps.ts";
import { aKey } from "../engine/keys.ts";

export const ID = "7b0c6f5e-90ad-4c3c-9a4e-3d3a0a4b1c01";
const ORGANIZATION = "11111111-2222-4333-8444-555555555555";

export function memoryConfigMaps(count = 4) {
  const held = new Map<number, { version: number; data: Map<string, string> }>();
  const own = {
    writes: 0,
    /** Called before each write; may hang or throw. */
    before: () => Promise.resolve(),
  };
  const read = (index: number) => {
    const found = held.get(index);
    return { resourceVersion: found && String(found.version), data: new Map(found?.data) };
  };
  const configMaps: ConfigMaps = {
    count,
    read: (index) => Promise.resolve(read(index)),
    write: async (index, { resourceVersion }, changes) => {
      await own.before();
      const { data, ...found } = read(index);
      if (found.resourceVersion !== resourceVersion) throw new KubeError("Conflict", 409, "conflict");
      for (const [key, text] of changes) {
        if (text === null) data.delete(key);
        else data.set(key, text);
      }
      held.set(index, { version: Number(resourceVersion ?? 0) + 1, data });
      own.writes += 1;
      return read(index);
    },
  };
  return Object.assign(own, configMaps, {
    held,
    all: (): readonly string[] => [...held.values()].flatMap(({ data }) => [...data.values()]),
    /** Removes the entries whose key begins with `key`, like a person. */
    edit: (key: string): void => {
      for (const one of held.values()) {
        for (const each of one.data.keys()) if (each.startsWith(key) && one.data.delete(each)) one.version += 1;
      }
    },
  });
}

/** A ledger in memory. */
export function memoryOrphans(
  clock: Clock,
  configMaps: ConfigMaps = memoryConfigMaps(),
  reported: OrphanChange[] = [],
): Orphans {
  return createOrphans({
    configMaps,
    clock,
    random: () => 0,
    windows: DEFAULT_WINDOWS,
    report: (change) => reported.push(change),
  });
}

export const idOf = (index: number): string => `${ID.slice(0, -4)}${String(index).padStart(4, "0")}`;

/** An entry, signed with a key. */
export function orphan(change: Partial<Orphan> = {}, key = aKey()): Orphan {
  return signed(
    {
      v: 1,
      id: ID,
      installation: "installation",
      host: "platform.example",
      organizationId: ORGANIZATION,
      kind: "PlatformEnvironment",
      namespace: "team",
      namespaceUid: "uid-team",
      name: "pr-7",
      externalName: "pr-7",
      at: "2026-11-21T10:00:00.000Z",
      why: "DeleteNotSupported",
      ...change,
    },
    key,
  );
}
