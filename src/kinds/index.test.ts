import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { examples } from "../../test/support/examples/examples.ts";
import { ACCEPTED, REFUSED, specOf } from "../../test/support/kinds/spec-cases.ts";
import { API_VERSION } from "../api/names.ts";
import { WRITE_LEDGER } from "../api/status.ts";
import { platformApplication } from "./application/crd.ts";
import { platformBinding } from "./binding/crd.ts";
import { RESOURCES } from "./index.ts";

const byKind = new Map(RESOURCES.map((resource) => [resource.kind, resource]));
const specSchema = (kind: string) => byKind.get(kind)?.spec ?? expect.fail(`no kind ${kind}`);

describe("a spec", () => {
  it.each(ACCEPTED)("of $kind may have $title", (given) => {
    expect(specSchema(given.kind).safeParse(specOf(given)).error?.issues).toBeUndefined();
  });

  it.each(REFUSED)("of $kind may not have $title", (given) => {
    expect(specSchema(given.kind).safeParse(specOf(given)).success).toBe(false);
  });

  it.each([
    ["an integer that JSON has rounded already", 2 ** 53, "must be quoted"],
    ["an object", { nested: true }, "invalid"],
  ])("of a binding refuses %s", (_title, value, words) => {
    const change = { managedConfig: { a: { b: { value } } } };
    const { error } = platformBinding.spec.safeParse(specOf({ title: "", kind: "PlatformBinding", change }));
    expect(error?.message).toContain(words);
  });

  it("[E5] of a blueprint may not be nested more deeply than the stack", () => {
    const specOverrides: unknown = JSON.parse(`${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`);
    const kind = "PlatformBlueprint";
    const { error } = specSchema(kind).safeParse(specOf({ title: "", kind, change: { specOverrides } }));
    expect(error?.message).toContain("characters of JSON");
  });

  it("[E3] does not let a key of a map reach a prototype", () => {
    const change: unknown = JSON.parse('{"__proto__":{"polluted":{"value":"1"}}}');
    platformBinding.spec.safeParse(specOf({ title: "", kind: "PlatformBinding", change: { managedConfig: change } }));
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("the memory", () => {
  it.each(RESOURCES)("of $kind starts empty, and survives any status", ({ memory }) => {
    expect(memory.parse({})).toEqual({});
    fc.assert(fc.property(fc.jsonValue(), (status) => memory.safeParse(status).success));
  });

  it.each(RESOURCES)(
    "of $kind is a part of its status and of the write ledger in it",
    ({ memory, recorded, status }) => {
      const members = Object.keys(z.toJSONSchema(memory, { io: "input" }).properties ?? {});
      const { properties } = z.toJSONSchema(status, { io: "input", unrepresentable: "any" });
      const ledger = z
        .object({ properties: z.record(z.string(), z.unknown()) })
        .optional()
        .parse(properties?.[WRITE_LEDGER]);
      expect(Object.keys(properties ?? {})).toEqual(
        expect.arrayContaining(members.filter((name) => !recorded.includes(name))),
      );
      expect(Object.keys(ledger?.properties ?? {})).toEqual(expect.arrayContaining([...recorded]));
    },
  );

  it("forgets a member of a wrong shape and keeps the others", () => {
    const status = { lastDeployment: { gitCommitId: 7 }, runState: "Stopped", environmentId: "e" };
    expect(platformApplication.memory.parse(status)).toEqual({ runState: "Stopped" });
  });
});

describe("the examples", () => {
  const manifests = examples().flatMap(({ file, manifests: all }) =>
    all.filter(({ apiVersion }) => apiVersion === API_VERSION).map(({ kind, spec }) => ({ file, kind, spec })),
  );

  it.each(manifests)("hold a valid $kind in $file", ({ kind, spec }) => {
    expect(specSchema(kind).safeParse(spec).error?.issues).toBeUndefined();
  });

  it("show every kind", () => {
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(new Set(byKind.keys()));
  });
});

describe("every kind", () => {
  it.each(RESOURCES)(
    "$kind shows Ready and why first, its message last, and its drift when wide",
    ({ columns, status }) => {
      const names = columns.map(({ name }) => name);
      expect(names.slice(0, 2)).toEqual(["Ready", "Reason"]);
      expect(names).toContain("Paused");
      expect(names.slice(-2)).toEqual(["Age", "Message"]);
      expect(columns.find(({ name }) => name === "Message")?.priority).toBeUndefined();
      expect(columns.some(({ name, priority }) => name === "Drifted" && priority === 1)).toBe("drift" in status.shape);
    },
  );

  // kubectl shows a date as an age, and has no age for a time to come: the operator writes that one in whole seconds.
  it.each(RESOURCES)("$kind shows no time as the status stores it", ({ columns }) => {
    const times = columns.filter(({ jsonPath }) => /(\.at|At|Since|Until|Time|Timestamp)$/.test(jsonPath));
    const asStored = times.filter(({ type }) => type !== "date").map(({ jsonPath }) => jsonPath);
    expect(asStored.filter((path) => path !== ".status.nextRunChange.at")).toEqual([]);
  });

  it.each(RESOURCES.filter(({ status }) => WRITE_LEDGER in status.shape))(
    "$kind shows the write ledger at the end of kubectl describe, which sorts members by name",
    ({ status }) => {
      expect(Object.keys(status.shape).toSorted().at(-1)).toBe(WRITE_LEDGER);
    },
  );

  it("has a short name of its own", () => {
    const names = RESOURCES.flatMap(({ shortNames }) => shortNames);
    expect(names).toHaveLength(RESOURCES.length);
    expect(names).toEqual([...new Set(names)]);
  });
});
