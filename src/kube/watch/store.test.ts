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
  it("takes what is newer and drops what is older or the same", () => {
    for (const version of ["9", "10", "10", "9", "11"]) store.upsert(thing("a", version));
    expect(changes).toEqual(["added uid-a@9", "updated uid-a@10", "updated uid-a@11"]);
  });

  it("takes what cannot be compared", () => {
    store.upsert(thing("a", "x1"));
    store.upsert(thing("a", "x0"));
    expect(held()).toBe("x0");
  });

  it("keeps the spec that it holds where a newer object has an equal one", () => {
    const specOf = () => store.get({ kind: "Thing", namespace: "default", name: "a" })?.spec;
    store.upsert({ ...thing("a", "1"), spec: { size: 1 } });
    const first = specOf();
    store.upsert({ ...thing("a", "2"), spec: { size: 1 } });
    expect(specOf()).toBe(first);
    store.upsert({ ...thing("a", "3"), spec: { size: 2 } });
    expect(specOf()).toEqual({ size: 2 });
  });

  it("[E5] takes a spec that is nested too deeply to be compared for another one", () => {
    const deep = (): Json => JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`) as Json;
    store.upsert({ ...thing("a", "1"), spec: deep() });
    store.upsert({ ...thing("a", "2"), spec: deep() });
    expect(changes).toEqual(["added uid-a@1", "updated uid-a@2"]);
  });

  it("shows a new uid under the same name as deleted and added (K8)", () => {
    store.upsert(thing("a", "1", { uid: "old" }));
    store.upsert(thing("a", "2", { uid: "new" }));
    expect(changes).toEqual(["added old@1", "deleted old@1", "added new@2"]);
  });

  it("does not let the late answer of a write bring back a deleted object", () => {
    store.upsert(thing("a", "1", { uid: "old" }));
    store.remove(thing("a", "5", { uid: "old" }));
    store.upsert(thing("a", "4", { uid: "old" }));
    expect(held()).toBeUndefined();
  });
});

it.each(["upsert", "remove"] as const)("%s leaves a newer namesake alone", (change) => {
  store.upsert(thing("a", "6", { uid: "new" }));
  store[change](thing("a", "5", { uid: "old" }));
  expect(changes).toEqual(["added new@6"]);
});

it("remove of an object that the store does not hold keeps a late, older answer out", () => {
  store.remove(thing("a", "5"));
  store.upsert(thing("a", "4"));
  expect(changes).toEqual([]);
});

describe("replace", () => {
  it("deletes what is missing and keeps what a write made newer than the list, or the object in it", () => {
    for (const each of [thing("a", "1"), thing("b", "2"), thing("late", "12"), thing("new", "11")]) store.upsert(each);
    changes.length = 0;
    snapshot("10", [thing("a", "9"), thing("late", "9")]);
    expect(changes).toEqual(["deleted uid-b@2", "updated uid-a@9"]);
    expect([held("late"), held("new")]).toEqual(["12", "11"]);
  });

  it("follows a server that went back in time, deleted uids included", () => {
    for (const name of ["a", "b", "c"]) store.upsert(thing(name, "100"));
    store.remove(thing("c", "101"));
    changes.length = 0;
    snapshot("50", [thing("a", "40"), thing("c", "41")], true);
    expect(changes).toEqual(["deleted uid-b@100", "updated uid-a@40", "added uid-c@41"]);
  });

  it("[B1] brings back what an empty list, or one of an earlier time, had taken away", () => {
    store.upsert(thing("a", "8"));
    snapshot("10", []);
    snapshot("10", [thing("a", "8")]);
    expect(held()).toBe("8");
    snapshot("5", [], true);
    store.upsert(thing("a", "8"));
    expect(held()).toBe("8");
  });

  it("brings back what was not served for a while, and nothing that a write let go meanwhile", () => {
    for (const name of ["a", "b"]) store.upsert(thing(name, "8"));
    store.remove(thing("a", "7"));
    store.remove(thing("b", "12"));
    snapshot("11", [thing("a", "8"), thing("b", "8")]);
    expect([held("a"), held("b")]).toEqual(["8", undefined]);
  });

  it("touches only its own kind and namespace", () => {
    const elsewhere = { ...thing("a", "1"), metadata: { ...thing("a", "1").metadata, namespace: "other" } };
    store.upsert(elsewhere);
    store.upsert(thing("a", "2", { uid: "mine" }));
    store.replace({ kind: "Thing", namespace: "default", objects: [], resourceVersion: "10", rewound: false });
    expect(store.list("Thing").map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
    expect(store.list("Thing", "default")).toEqual([]);
  });
});

it("a listener that throws disturbs neither the store nor the others (K5)", () => {
  const broken = createStore((error) => errors.push(error));
  broken.subscribe(() => {
    throw new Error("listener");
  });
  broken.subscribe((change) => changes.push(show(change)));
  broken.upsert(thing("a", "1"));
  expect(changes).toEqual(["added uid-a@1"]);
  expect(errors).toEqual([new Error("listener")]);
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
  expect([isOlder(a, b), isOlder(b, a)]).toEqual([false, false]);
});
