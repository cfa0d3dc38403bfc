import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { aCondition, anObject, aStatus } from "../../../test/support/engine/objects.ts";
import type { Cache, Json, KubeObject } from "../../kube/api/types.ts";
import type { ConnectionSettings } from "../contract/connection.ts";
import { keyText } from "../contract/keys.ts";
import type { Reference } from "../contract/kind.ts";
import {
  admission,
  connectionFor,
  projectsFor,
  resolveReferences,
  connectionMismatch,
  type ConnectionRoute,
} from "./references.ts";

const KINDS = { namespaced: "Link", cluster: "ClusterLink" };
const ID = uuid(1);

function cacheOf(...objects: readonly (readonly [kind: string, namespace: string, object: KubeObject])[]): Cache {
  const map = new Map(
    objects.map(([kind, namespace, object]) => [keyText({ kind, namespace, name: object.metadata.name }), object]),
  );
  return { get: (key) => map.get(keyText(key)), list: () => [] };
}

const link = (name: string) => ({ kind: "Link", namespace: "team", name });
const named = (name: string): KubeObject => anObject({ meta: { name } });
const byName: Reference = { field: "spec.parentRef", kind: "Widget", name: "parent", externalId: undefined };
const parent = (ready: "True" | "False", id: string | undefined, generation = 2): KubeObject =>
  anObject({
    meta: { name: "parent" },
    status: aStatus([aCondition("Ready", ready, "Creating", { observedGeneration: generation })], { externalId: id }),
  });

describe("resolveReferences", () => {
  const resolve = (object: KubeObject | undefined, more: Partial<Reference> = {}, hasId = false) => {
    const cache = object === undefined ? cacheOf() : cacheOf(["Widget", "team", object]);
    return resolveReferences(cache, "team", [{ ...byName, ...more }], hasId);
  };
  const [ready, unready, unnamed] = [parent("True", ID), parent("False", ID), parent("True", undefined)];

  it.each<[what: string, object: KubeObject | undefined, more: Partial<Reference>, hasId: boolean, expected: string]>([
    ["a parent that is ready", ready, {}, false, ID],
    ["a parent that is not ready", unready, {}, false, "ParentNotReady"],
    ["a parent that was ready for an older generation", parent("True", ID, 1), {}, false, "ParentNotReady"],
    ["a parent without an id", unnamed, {}, false, "ParentNotReady"],
    ["a parent that is not there", undefined, {}, false, "ParentNotFound"],
    ["trouble of the parent, of a child that has an id", unready, {}, true, ID],
    ["a parent without an id, of a child that has one", unnamed, {}, true, "ParentNotReady"],
    ["a parent that is not ready, where its id is enough", unready, { idOnly: true }, false, ID],
    ["a parent without an id, where its id is enough", unnamed, { idOnly: true }, false, "ParentNotReady"],
    ["an optional one that is not there", undefined, { optional: true }, false, "none"],
    ["an optional one without an id", unnamed, { optional: true }, false, "none"],
    ["an optional one that is not ready", unready, { optional: true }, false, ID],
    ["a given id", undefined, { name: undefined, externalId: ID }, false, ID],
  ])("by %s", (_, object, more, hasId, expected) => {
    const references = resolve(object, more, hasId);
    expect(
      references.is === "resolved" ? (references.ids.get("spec.parentRef") ?? "none") : references.why.reason,
    ).toBe(expected);
  });

  it("does not look into another namespace", () => {
    const elsewhere = cacheOf(["Widget", "other", ready]);
    expect(resolveReferences(elsewhere, "team", [byName], false)).toMatchObject({ is: "unresolved", missing: true });
  });

  it("says why the parent is not ready, and what to do about one that is not there", () => {
    expect(resolve(unready)).toMatchObject({ why: { message: 'Waiting for Widget "parent" (reason Creating).' } });
    const message = 'Widget "parent" does not exist in namespace "team". Create it or fix spec.parentRef.name.';
    expect(resolve(undefined)).toMatchObject({ why: { message } });
  });
});

describe("a reference to a resource of another connection", () => {
  const second: Reference = { ...byName, field: "spec.otherRef" };
  const cache = cacheOf(["Widget", "team", parent("True", ID)]);
  const uses = (name: string | undefined) => (): ConnectionRoute =>
    name === undefined
      ? { is: "none", why: { reason: "ConnectionNotReady", message: "?" } }
      : { is: "found", key: link(name) };

  it.each<[string, Cache, readonly Reference[], string | undefined, boolean]>([
    ["another connection", cache, [byName, second], "b", true],
    ["the same connection", cache, [byName, second], "a", false],
    ["another connection, but is the parent", cache, [second], "b", false],
    ["none yet", cache, [byName, second], undefined, false],
    ["nothing, as it is not there", cacheOf(), [byName, second], "b", false],
  ])("finds what uses %s", (_, objects, references, used, expected) => {
    const why = connectionMismatch({ cache: objects, route: uses(used) }, named("self"), references, link("a"));
    expect(why?.reason).toBe(expected ? "InvalidSpec" : undefined);
    expect(why?.message ?? "spec.otherRef").toContain("spec.otherRef");
  });
});

describe("connectionFor", () => {
  const own = ["Link", "team", named("default")] as const;
  const cluster = ["ClusterLink", "", named("default")] as const;
  const special = ["Link", "team", named("special")] as const;
  const all = cacheOf(own, cluster, special);
  const found = (name: string): ConnectionRoute => ({ is: "found", key: link(name) });
  const none: ConnectionRoute = { is: "none", why: { reason: "InvalidSpec", message: "The parent is wrong." } };
  const clusters = { kind: "ClusterLink", name: "default" };

  it.each<[string, Cache, Json | undefined, ConnectionRoute | undefined, string]>([
    ["its own reference", all, { name: "special" }, undefined, "Link/team/special"],
    ["its own reference to a cluster's", all, clusters, undefined, "ClusterLink//default"],
    ["the parent's", all, undefined, found("special"), "Link/team/special"],
    ["its own that is the parent's", all, { name: "special" }, found("special"), "Link/team/special"],
    ["its own that is not the parent's", all, { name: "default" }, found("special"), "InvalidSpec"],
    ["one of the same name and another kind", all, clusters, found("default"), "InvalidSpec"],
    ["the namespace's default", all, undefined, undefined, "Link/team/default"],
    ["the cluster's default", cacheOf(cluster), undefined, undefined, "ClusterLink//default"],
    ["none", cacheOf(), undefined, undefined, "ConnectionNotReady"],
    ["one that is not there", all, { name: "nobody" }, undefined, "ConnectionNotReady"],
    ["none, as the parent has none", all, undefined, none, "ConnectionNotReady"],
    ["its own, though the parent has none", all, { name: "special" }, none, "Link/team/special"],
  ])("%s", (_, cache, connectionRef, inherited, expected) => {
    const one = connectionFor(cache, KINDS, anObject({ spec: { connectionRef } }), inherited);
    expect(one.is === "found" ? keyText(one.key) : one.why.reason).toBe(expected);
  });
});

describe("[E9] admission", () => {
  const connection = { kind: "ClusterLink", namespace: "", name: "default" };
  const namespaces = {
    get: (name: string) =>
      Promise.resolve(name === "gone" ? undefined : { uid: "u", labels: { tier: "gold" }, terminating: false }),
  };
  const settings = (allowedNamespaces: ConnectionSettings["allowedNamespaces"]): ConnectionSettings =>
    ({ allowedNamespaces }) as ConnectionSettings;

  it.each<[string, ConnectionSettings["allowedNamespaces"], string, boolean]>([
    ["nobody is named", undefined, "team", false],
    ["nobody is named in a list", { names: [], matchLabels: {}, limited: [] }, "team", false],
    ["it is named", { names: ["team"], matchLabels: undefined, limited: [] }, "team", true],
    ["another one is named", { names: ["other"], matchLabels: undefined, limited: [] }, "team", false],
    ["its labels match", { names: [], matchLabels: { tier: "gold" }, limited: [] }, "team", true],
    ["its labels differ", { names: [], matchLabels: { tier: "iron" }, limited: [] }, "team", false],
    [
      "one of its labels is missing",
      { names: [], matchLabels: { tier: "gold", zone: "a" }, limited: [] },
      "team",
      false,
    ],
    [
      "a label is named that every object inherits",
      { names: [], matchLabels: { constructor: "x" }, limited: [] },
      "team",
      false,
    ],
    ["it does not exist", { names: [], matchLabels: { tier: "gold" }, limited: [] }, "gone", false],
    [
      "it is among the limited ones",
      {
        names: [],
        matchLabels: undefined,
        limited: [{ names: ["team"], matchLabels: undefined, allowedProjects: [] }],
      },
      "team",
      true,
    ],
  ])("where %s", async (_, allowed, namespace, admitted) => {
    const refused = await admission(namespaces, settings(allowed), connection, namespace);
    expect(refused === undefined).toBe(admitted);
  });

  it("is not needed for a connection of the namespace itself", async () => {
    expect(await admission(namespaces, settings(undefined), link("default"), "team")).toBeUndefined();
  });
});

describe("the projects of a namespace", () => {
  const namespaces = { get: () => Promise.resolve({ uid: "u", labels: { tier: "gold" }, terminating: false }) };
  const limited = [
    { names: ["team"], matchLabels: undefined, allowedProjects: ["a", "b"] },
    { names: [], matchLabels: { tier: "gold" }, allowedProjects: ["c"] },
    { names: ["other"], matchLabels: undefined, allowedProjects: ["d"] },
  ];
  const of = (allowedProjects: string[] | undefined, entries: typeof limited) =>
    projectsFor(
      namespaces,
      { allowedProjects, allowedNamespaces: { names: ["team"], matchLabels: undefined, limited: entries } },
      anObject(),
    );

  it("are all where nothing limits it", async () => {
    expect(await of(undefined, [])).toBeUndefined();
  });

  it("are those of the connection where no entry limits it", async () => {
    expect(await of(["a"], limited.slice(2))).toEqual(["a"]);
  });

  it("are those of every entry about it", async () => {
    expect(await of(undefined, limited)).toEqual(["a", "b", "c"]);
  });

  it("are in the connection's list too", async () => {
    expect(await of(["b", "d"], limited)).toEqual(["b"]);
  });
});
