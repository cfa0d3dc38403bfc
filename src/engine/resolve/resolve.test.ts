import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { aKey } from "../../../test/support/engine/keys.ts";
import {
  endOf,
  ID,
  IDENTITY,
  RECORDED,
  resolved,
  type Script,
  scripted,
  type Scripted,
} from "../../../test/support/engine/scripted.ts";
import { EXTERNAL_ID, INSTALLATION, INTENT } from "../../api/names.ts";
import type { JsonObject, ObjectKey } from "../../kube/api/types.ts";
import type { Goal, IdentitySource } from "../contract/kind.ts";
import { recordAnnotations } from "../ledger/record.ts";
import { resolveObject } from "./resolve.ts";

type Arrange = (env: Scripted) => void;

const nothing: Arrange = () => {};
const OTHER = uuid(2);

/** Returns how the reconcile ends before it is resolved; "resolved" if it does not. */
async function endsFor(script: Script, arrange: Arrange, goal: Goal): Promise<string> {
  const env = await scripted(script);
  arrange(env);
  const found = await resolveObject(env.r, goal);
  return "is" in found ? endOf(found) : "resolved";
}

const recordedWith = (identity: JsonObject): Script => ({
  ...RECORDED,
  status: { ...RECORDED.status, writeLedger: { identity: { ...IDENTITY, ...identity } } },
});

const parent =
  (status: JsonObject): Arrange =>
  ({ cluster }) => {
    cluster.create("Widget", "p", { name: "p" });
    cluster.status("Widget", "p", status);
  };

const withoutConnection: Arrange = ({ r }) => {
  const why = { reason: "ConnectionNotReady", message: "There is none." } as const;
  Object.assign(r.ports, { route: () => ({ is: "none", why }) });
};

const failingConnection: Arrange = ({ r }) => {
  const found = r.ports.route(r.object);
  const connection = found.is === "found" ? r.ports.connections.last(found.key) : undefined;
  Object.assign(connection ?? {}, { notReadyReason: { reason: "PlatformUnreachable", message: "No answer." } });
};

const below = { parentRef: { name: "p" } };

describe("a reconcile is resolved, or ends with what is missing or wrong", () => {
  it.each<[what: string, script: Script, arrange: Arrange, present: string, absent: string]>([
    ["nothing is missing", {}, nothing, "resolved", "resolved"],
    ["the spec is invalid", { spec: { name: 5 } }, nothing, "stalled InvalidSpec", "stalled InvalidSpec"],
    [
      "another installation wrote the records",
      { meta: { annotations: { [INSTALLATION]: "another" } } },
      nothing,
      "stalled ForeignLedger",
      "stalled ForeignLedger",
    ],
    [
      "spec.externalId contradicts the record",
      { ...RECORDED, spec: { externalId: OTHER } },
      nothing,
      "stalled InvalidSpec",
      "stalled InvalidSpec",
    ],
    ["the parent does not exist", { spec: below }, nothing, "waiting ParentNotFound", "resolved"],
    ["the parent has no id", { spec: below }, parent({}), "waiting ParentNotReady", "resolved"],
    [
      "the parent has an id and is not Ready",
      { spec: below },
      parent({ externalId: OTHER }),
      "waiting ParentNotReady",
      "resolved",
    ],
    [
      "the parent of a recorded object is not Ready",
      { ...recordedWith({ parentId: OTHER }), spec: below },
      parent({ externalId: OTHER }),
      "resolved",
      "resolved",
    ],
    [
      "a Secret has no such key",
      { spec: { secret: { name: "s", key: "k" } } },
      nothing,
      "waiting DependencyNotReady",
      "resolved",
    ],
    ["there is no connection", {}, withoutConnection, "held ConnectionNotReady", "held ConnectionNotReady"],
    ["the connection fails", {}, failingConnection, "held ConnectionNotReady", "held ConnectionNotReady"],
    [
      "the connection leads to another host",
      recordedWith({ host: "old.example" }),
      nothing,
      "stalled ConnectionChanged",
      "stalled ConnectionChanged",
    ],
    [
      "the reference leads to another parent",
      { ...recordedWith({ parentId: uuid(3) }), spec: below },
      parent({ externalId: OTHER }),
      "stalled ParentChanged",
      "stalled ParentChanged",
    ],
    [
      "a run schedule cannot be read",
      { spec: { runSchedule: [{ schedule: "daily", duration: "1h" }] } },
      nothing,
      "stalled InvalidSpec",
      "resolved",
    ],
  ])("where %s", async (_, script, arrange, present, absent) => {
    expect(await endsFor(script, arrange, "present")).toBe(present);
    expect(await endsFor(script, arrange, "absent")).toBe(absent);
  });
});

describe("the id comes from", () => {
  const claim = { meta: { annotations: { [EXTERNAL_ID]: ID } } };
  const key = { ports: { key: aKey() } };
  const unstored: Arrange = ({ r }) => r.local.persistence.noteOutcome(r.object, { id: ID, memory: {} });
  const signedFor =
    (uid: string): Arrange =>
    ({ r }) => {
      const found = r.ports.route(r.object);
      const connection = found.is === "found" ? r.ports.connections.last(found.key) : undefined;
      if (connection === undefined) throw new TypeError("there is no connection");
      const signer = { ...r.object, metadata: { ...r.object.metadata, uid } };
      const annotations = recordAnnotations(
        r.ports,
        { object: signer, connection, recordedIdentity: { ...IDENTITY } },
        ID,
        { told: "kept" },
      );
      r.object = { ...r.object, metadata: { ...r.object.metadata, annotations } };
    };

  it.each<[what: string, script: Script, arrange: Arrange, source: IdentitySource | undefined]>([
    ["nowhere for a new resource", {}, nothing, undefined],
    ["the status", RECORDED, nothing, "recorded"],
    ["an outcome that is not stored yet", {}, unstored, "recorded"],
    ["spec.externalId", { spec: { externalId: ID } }, nothing, "given"],
    ["an annotation without a signature, as a claim", claim, nothing, "claimed"],
    [
      "an annotation that this resource signed, as a record",
      key,
      (env) => signedFor(env.r.object.metadata.uid)(env),
      "recorded",
    ],
    ["an annotation that an earlier resource of the name signed", key, signedFor("uid-old"), "orphaned"],
  ])("%s", async (_, script, arrange, source) => {
    const env = await scripted(script);
    arrange(env);
    const found = await resolveObject(env.r, "present");
    expect("is" in found ? endOf(found) : found.context.identitySource).toBe(source);
  });

  it("a signed annotation together with the memory of the create", async () => {
    const env = await scripted(key);
    signedFor(env.r.object.metadata.uid)(env);
    const found = await resolveObject(env.r, "present");
    expect("is" in found ? endOf(found) : found.context.memory).toEqual({ told: "kept" });
  });
});

describe("a connection that is being deleted", () => {
  const ending: Arrange = ({ r }) => {
    const { cache } = r.ports;
    const object = { ...r.object, metadata: { ...r.object.metadata, deletionTimestamp: "2026-11-21T09:00:00Z" } };
    const get = (key: ObjectKey) => (key.kind === "Link" ? object : cache.get(key));
    Object.assign(r.ports, { cache: { ...cache, get } });
  };

  it.each<[what: string, script: Script, end: string]>([
    ["takes no new resource", {}, "waiting ConnectionNotReady"],
    ["serves a recorded object", RECORDED, "resolved"],
    ["serves a create under way", { meta: { annotations: { [INTENT]: "{}" } } }, "resolved"],
  ])("%s", async (_, script, end) => {
    expect(await endsFor(script, ending, "present")).toBe(end);
  });
});

it.each<[what: string, kind: string, id: string, name: string | undefined]>([
  ["of the kind that recorded it", "Widget", OTHER, "p"],
  ["of another kind is not", "Link", OTHER, undefined],
  ["that recorded another id is not", "Widget", uuid(3), undefined],
])("a resource %s is the name of an id", async (_, kind, id, name) => {
  const env = await scripted({});
  parent({ externalId: OTHER })(env);
  env.r.ports.idOwnership.set(env.cluster.get("Widget", "p"), undefined);
  expect((await resolved(env)).context.records.nameOf(kind, id)).toBe(name);
});
