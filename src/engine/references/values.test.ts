import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Json, KeyValues } from "../../kube/api/types.ts";
import type { Reader } from "../../kube/watch/readers.ts";
import { isChangedAtSource, sameContent, type ValueRequest } from "../contract/kind.ts";
import { resolver } from "./references.ts";
import { fingerprintOf, resolveValues } from "./values.ts";

const SECRET = "hunter2-and-more";

function holding(resourceVersion: string, data: Readonly<Record<string, string>>): KeyValues {
  return { uid: `uid-${resourceVersion}`, resourceVersion, data: new Map(Object.entries(data)) };
}

function readerOf(secrets: Readonly<Record<string, KeyValues>>, reads: string[] = []): Reader {
  const find = (kind: string, namespace: string, name: string): Promise<KeyValues | undefined> => {
    reads.push(`${kind} ${namespace}/${name}`);
    return Promise.resolve(new Map(Object.entries(secrets)).get(`${kind}/${name}`));
  };
  return {
    secret: (namespace, name) => find("Secret", namespace, name),
    configMap: (namespace, name) => find("ConfigMap", namespace, name),
  };
}

const ask = (field: string, from: "Secret" | "ConfigMap", name: string, key: string): ValueRequest => ({
  field,
  from,
  name,
  key,
});

describe("resolveValues", () => {
  const secrets = {
    "Secret/db": holding("1", { url: SECRET, user: "u" }),
    "ConfigMap/db": holding("2", { url: "plain" }),
  };

  it("reads each object once, of its own namespace, and tells Secret and ConfigMap apart", async () => {
    const reads: string[] = [];
    const requests = [
      ask("a", "Secret", "db", "url"),
      ask("b", "Secret", "db", "user"),
      ask("c", "ConfigMap", "db", "url"),
    ];
    const resolved = await resolveValues(readerOf(secrets, reads), "team", requests, 0);
    expect(reads).toEqual(["Secret team/db", "ConfigMap team/db"]);
    expect(resolved).toMatchObject({
      is: "found",
      values: new Map([
        ["a", SECRET],
        ["b", "u"],
        ["c", "plain"],
      ]),
    });
  });

  it("names the versions that it read, in whatever order they were requested", async () => {
    const requests = [ask("a", "Secret", "db", "url"), ask("c", "ConfigMap", "db", "url")];
    const forward = await resolveValues(readerOf(secrets), "team", requests, 0);
    const backward = await resolveValues(readerOf(secrets), "team", requests.toReversed(), 0);
    expect(forward.is === "found" && backward.is === "found" && forward.sources === backward.sources).toBe(true);
  });

  it.each<[string, ValueRequest, string]>([
    ["an object", ask("spec.x", "Secret", "nobody", "k"), 'Secret "nobody" does not exist'],
    ["a key", ask("spec.x", "Secret", "db", "k"), 'Secret "db" in namespace "team" has no key "k"'],
    ["a ConfigMap", ask("spec.x", "ConfigMap", "nobody", "k"), 'ConfigMap "nobody" does not exist'],
  ])("says which %s is missing, and no value", async (_, request, words) => {
    const resolved = await resolveValues(readerOf(secrets), "team", [ask("a", "Secret", "db", "url"), request], 0);
    expect(resolved).toMatchObject({ is: "missing", why: { reason: "DependencyNotReady" } });
    const message = resolved.is === "missing" ? resolved.why.message : "";
    expect(message).toContain(words);
    expect(message).toContain("spec.x");
    expect(message).not.toContain(SECRET);
  });

  it("reads all of an object, beside single keys of it", async () => {
    const whole: ValueRequest = { field: "all", from: "Secret", name: "db" };
    const requests = [whole, ask("a", "Secret", "db", "url")];
    const reads: string[] = [];
    const resolved = await resolveValues(readerOf(secrets, reads), "team", requests, 0);
    expect(resolved).toMatchObject({
      values: new Map([["a", SECRET]]),
      all: new Map([["all", secrets["Secret/db"].data]]),
    });
    expect(reads).toHaveLength(1);
    const missing = await resolveValues(readerOf({}), "team", [whole], 0);
    expect(missing).toMatchObject({ is: "missing", why: { reason: "DependencyNotReady" } });
  });

  it("accepts an empty value", async () => {
    const reader = readerOf({ "Secret/db": holding("1", { url: "" }) });
    const resolved = await resolveValues(reader, "team", [ask("a", "Secret", "db", "url")], 0);
    expect(resolved).toMatchObject({ is: "found", values: new Map([["a", ""]]) });
  });
});

describe("fingerprint", () => {
  const [one, other] = ["token-1", "token-2"];

  it.each<[string, [Json, string, string], [Json, string, string], boolean]>([
    ["the same content of the same sources", [SECRET, "s1", one], [SECRET, "s1", one], true],
    ["a Secret that was only touched", [SECRET, "s1", one], [SECRET, "s2", one], true],
    ["a value that changed", [SECRET, "s1", one], ["new", "s2", one], false],
    ["a value that changed in the spec", [SECRET, "s1", one], ["new", "s1", one], false],
    ["a token that was rotated", [SECRET, "s1", one], [SECRET, "s1", other], true],
    ["a token that was rotated and a value that changed", [SECRET, "s1", one], ["new", "s2", other], false],
    ["another type of the same text", ["1", "s1", one], [1, "s1", one], false],
  ])("%s is the same: %#", (_, left, right, same) => {
    expect(sameContent(fingerprintOf(...left), fingerprintOf(...right))).toBe(same);
  });

  it.each<[string, [Json, string, string] | undefined, [Json, string, string], boolean]>([
    ["is changed at its source if both differ", [SECRET, "s1", one], ["new", "s2", one], true],
    ["is not where only the source was touched", [SECRET, "s1", one], [SECRET, "s2", one], false],
    ["is not where another version made it", [SECRET, "s1", one], ["new", "s1", one], false],
    ["is not known to be after a rotation of the token", [SECRET, "s1", one], ["new", "s2", other], false],
    ["is not known to be where it is unknown", undefined, ["new", "s2", one], false],
  ])("%s", (_, known, now, changed) => {
    expect(isChangedAtSource(known && fingerprintOf(...known), fingerprintOf(...now))).toBe(changed);
  });

  it("that is missing equals only another missing one", () => {
    const some = fingerprintOf(SECRET, "s", one);
    expect([sameContent(undefined, undefined), sameContent(some, undefined), sameContent(undefined, some)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("[C12] shows neither value nor token, and cannot be made without the token", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string({ minLength: 8 }), (value, token) => {
        const text = JSON.stringify(fingerprintOf(value, "s", token));
        expect(text.includes(value) || text.includes(token)).toBe(false);
        expect(fingerprintOf(value, "s", token).digest).not.toBe(fingerprintOf(value, "s", `${token}x`).digest);
      }),
    );
  });
});

describe("the resolver", () => {
  const open = { is: "open", ids: new Map([["spec.parentRef", "id"]]) } as const;
  const shut = { is: "shut", missing: true, why: { reason: "ParentNotFound", message: "?" } } as const;
  const all = new Map([["spec.y", new Map([["k", "v"]])]]);
  const found = { is: "found", values: new Map([["spec.x", "v"]]), all, sources: "s" } as const;
  const missing = { is: "missing", why: { reason: "DependencyNotReady", message: "?" } } as const;
  const how = { token: () => "t", generation: 1, lenient: undefined };

  it("returns what was resolved, and throws for a field that was not requested", () => {
    const resolved = resolver(open, found, how);
    expect([resolved.id("spec.parentRef"), resolved.value("spec.x")]).toEqual(["id", "v"]);
    expect([resolved.idIfAny("spec.parentRef"), resolved.idIfAny("spec.other")]).toEqual(["id", undefined]);
    expect(resolved.all("spec.y")).toEqual(new Map([["k", "v"]]));
    expect(() => resolved.all("spec.other")).toThrow(RangeError);
    expect(() => resolved.id("spec.other")).toThrow(RangeError);
    expect(() => resolved.value("spec.other")).toThrow(RangeError);
  });

  it("returns placeholders while an object is deleted", () => {
    const known = resolver(shut, missing, { ...how, lenient: { parentId: "pinned" } });
    expect([known.id("spec.parentRef"), known.value("spec.x")]).toEqual(["pinned", ""]);
    expect([known.idIfAny("spec.parentRef"), known.all("spec.y")]).toEqual([undefined, new Map()]);
    const unknown = resolver(shut, missing, { ...how, lenient: { parentId: undefined } });
    expect(unknown.id("spec.parentRef")).toBe("00000000-0000-0000-0000-000000000000");
  });

  it("counts a new generation as another source, for values in the spec", () => {
    const next = resolver(open, found, { ...how, generation: 2, token: () => "rotated" });
    expect(sameContent(resolver(open, found, how).fingerprint("v"), next.fingerprint("v"))).toBe(false);
  });
});
