import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";

import { thing } from "../../../test/support/kube/things.ts";
import type { Json, KubeObject } from "../api/types.ts";
import { createStore, isOlder, type Store, type StoreChange } from "./store.ts";

let store: Store;
let changes: string[];
let errors: unknown[];

beforeEach(() => {
  changes = [];
  errors = [];
  store = createStore((error) => errors.push(error));
  store.subscribe((change) => changes.push(show(change)));
});

function show({ type, object }: StoreChange): string {
  return `${type} ${object.metadata.uid}@${object.metadata.resourceVersion}`;
}

const held = (name = "a") => store.get({ kind: "Thing", namespace: "default", name })?.metadata.resourceVersion;

const snapshot = (resourceVersion: string, objects: readonly KubeObject[], rewound = false) => {
  store.replace({ kind: "Thing", objects, resourceVersion, rewound });
};

describe("upsert", () => {
  it("stores newer versions, and ignores older and equal ones", () => {
    for (const version of ["9", "10", "10", "9", "11"]) store.upsert(thing("a", version));
    expect(changes).toEqual(["added uid-a@9", "updated uid-a@10", "updated uid-a@11"]);
  });

  it("stores a version that cannot be compared", () => {
    store.upsert(thing("a", "x1"));
    store.upsert(thing("a", "x0"));
    expect(held()).toBe("x0");
  });

  it("keeps the same spec object if a newer version has an equal spec", () => {
    const specOf = () => store.get({ kind: "Thing", namespace: "default", name: "a" })?.spec;
    store.upsert({ ...thing("a", "1"), spec: { size: 1 } });
    const first = specOf();
    store.upsert({ ...thing("a", "2"), spec: { size: 1 } });
    expect(specOf()).toBe(first);
    store.upsert({ ...thing("a", "3"), spec: { size: 2 } });
    expect(specOf()).toEqual({ size: 2 });
  });

  it("[E5] takes a spec that is nested too deeply to be compared as different", () => {
    const deep = (): Json => JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) as Json;
    store.upsert({ ...thing("a", "1"), spec: deep() });
    store.upsert({ ...thing("a", "2"), spec: deep() });
    expect(changes).toEqual(["added uid-a@1", "updated uid-a@2"]);
  });

  it("reports an object with another uid and the same name as deleted and added", () => {
    store.upsert(thing("a", "1", { uid: "old" }));
    store.upsert(thing("a", "2", { uid: "new" }));
    expect(changes).toEqual(["added old@1", "deleted old@1", "added new@2"]);
  });

  it("does not bring back a deleted object by the late answer of a write", () => {
    store.upsert(thing("a", "1", { uid: "old" }));
    store.remove(thing("a", "5", { uid: "old" }));
    store.upsert(thing("a", "4", { uid: "old" }));
    expect(held()).toBeUndefined();
  });
});

it.each(["upsert", "remove"] as const)("%s does not change a newer object of the same name", (change) => {
  store.upsert(thing("a", "6", { uid: "new" }));
  store[change](thing("a", "5", { uid: "old" }));
  expect(changes).toEqual(["added new@6"]);
});

it("remove of an unknown object keeps a late, older answer out of the store", () => {
  store.remove(thing("a", "5"));
  store.upsert(thing("a", "4"));
  expect(changes).toEqual([]);
});

describe("replace", () => {
  it("deletes missing objects, and keeps objects that a write made newer than the list", () => {
    for (const each of [thing("a", "1"), thing("b", "2"), thing("late", "12"), thing("new", "11")]) store.upsert(each);
    changes.length = 0;
    snapshot("10", [thing("a", "9"), thing("late", "9")]);
    expect(changes).toEqual(["deleted uid-b@2", "updated uid-a@9"]);
    expect(held("late")).toBe("12");
    expect(held("new")).toBe("11");
  });

  it("follows a server that went back in time, also for deleted uids", () => {
    for (const name of ["a", "b", "c"]) store.upsert(thing(name, "100"));
    store.remove(thing("c", "101"));
    changes.length = 0;
    snapshot("50", [thing("a", "40"), thing("c", "41")], true);
    expect(changes).toEqual(["deleted uid-b@100", "updated uid-a@40", "added uid-c@41"]);
  });

  it("[B1] brings back objects that an empty or earlier list had removed", () => {
    store.upsert(thing("a", "8"));
    snapshot("10", []);
    snapshot("10", [thing("a", "8")]);
    expect(held()).toBe("8");
    snapshot("5", [], true);
    store.upsert(thing("a", "8"));
    expect(held()).toBe("8");
  });

  it("brings back objects that were not served for a while, but none that a write deleted meanwhile", () => {
    for (const name of ["a", "b"]) store.upsert(thing(name, "8"));
    store.remove(thing("a", "7"));
    store.remove(thing("b", "12"));
    snapshot("11", [thing("a", "8"), thing("b", "8")]);
    expect(held("a")).toBe("8");
    expect(held("b")).toBeUndefined();
  });

  it("changes only its own kind and namespace", () => {
    const elsewhere = { ...thing("a", "1"), metadata: { ...thing("a", "1").metadata, namespace: "other" } };
    store.upsert(elsewhere);
    store.upsert(thing("a", "2", { uid: "mine" }));
    store.replace({ kind: "Thing", namespace: "default", objects: [], resourceVersion: "10", rewound: false });
    expect(store.list("Thing").map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
    expect(store.list("Thing", "default")).toEqual([]);
  });
});

it("a listener that throws disturbs neither the store nor other listeners", () => {
  const broken = createStore((error) => errors.push(error));
  broken.subscribe(() => {
    throw new Error("listener");
  });
  broken.subscribe((change) => changes.push(show(change)));
  broken.upsert(thing("a", "1"));
  expect(changes).toEqual(["added uid-a@1"]);
  expect(errors).toEqual([new Error("listener")]);
});

it("a listener gets no change after it has unsubscribed", () => {
  const seen: StoreChange[] = [];
  store.subscribe((change) => seen.push(change))();
  store.upsert(thing("a", "1"));
  expect(seen).toEqual([]);
});

it("isOlder orders decimal numbers of any length (KEP-5504)", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 80n }), fc.bigInt({ min: 0n, max: 2n ** 80n }), (a, b) => {
      expect(isOlder(String(a), String(b))).toBe(a < b);
    }),
  );
});

it.each([
  ["abc", "12"],
  ["012", "13"],
  ["", "1"],
  ["-1", "1"],
])("isOlder does not order %o and %o", (a, b) => {
  expect(isOlder(a, b)).toBe(false);
  expect(isOlder(b, a)).toBe(false);
});
