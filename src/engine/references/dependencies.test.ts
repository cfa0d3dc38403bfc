import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ObjectKey } from "../../kube/api/types.ts";
import { keyText, parseKey, shortName } from "../contract/keys.ts";
import { createDependencyIndex } from "./dependencies.ts";

const key = (name: string): ObjectKey => ({ kind: "Widget", namespace: "team", name });

describe("the dependency index", () => {
  it("distinguishes dependents that block a deletion from those that only refer", () => {
    const graph = createDependencyIndex();
    graph.set(key("child"), [key("parent")]);
    graph.set(key("guest"), [key("host")], [key("parent")]);
    expect(graph.dependents(key("parent"))).toEqual([keyText(key("child")), keyText(key("guest"))]);
    expect(graph.children(key("parent"))).toEqual([keyText(key("child"))]);
    expect(graph.children(key("host"))).toEqual([keyText(key("guest"))]);
    graph.set(key("guest"), [key("parent")]);
    expect(graph.children(key("parent"))).toEqual([keyText(key("child")), keyText(key("guest"))]);
  });

  it("returns the same as a list of all references, after any changes", () => {
    const names = fc.constantFrom("a", "b", "c", "d");
    const changes = fc.array(fc.tuple(names, fc.array(names, { maxLength: 4 })), { maxLength: 30 });
    fc.assert(
      fc.property(changes, (sets) => {
        const graph = createDependencyIndex();
        const model = new Map<string, ReadonlySet<string>>();
        for (const [from, to] of sets) {
          graph.set(key(from), to.map(key));
          model.set(from, new Set(to));
        }
        for (const name of ["a", "b", "c", "d"]) {
          const dependents = [...model].filter(([, to]) => to.has(name)).map(([from]) => keyText(key(from)));
          expect([...graph.dependents(key(name))].toSorted()).toEqual(dependents.toSorted());
          const references = [...(model.get(name) ?? [])].map((one) => keyText(key(one)));
          expect([...graph.references(key(name))].toSorted()).toEqual(references.toSorted());
        }
      }),
    );
  });
});

describe("the key of a cluster-scoped object", () => {
  const cluster = { kind: "ClusterLink", namespace: "", name: "default" };

  it("has an empty namespace in its text, and is read from it again", () => {
    expect(keyText(cluster)).toBe("ClusterLink//default");
    expect(parseKey("ClusterLink//default")).toEqual(cluster);
  });

  it("is its name where people read it", () => {
    expect(shortName(cluster)).toBe("default");
  });
});

it("a text with two parts is no key", () => {
  expect(() => parseKey("Widget/a")).toThrow(RangeError);
});
