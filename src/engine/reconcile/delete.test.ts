import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import {
  ID,
  IDENTITY,
  RECORDED,
  type Script,
  scripted,
  type Scripted,
  SETTLED,
  step,
  STEPS,
} from "../../../test/support/engine/scripted.ts";
import { orphan } from "../../../test/support/platform/orphans.ts";
import { FINALIZER, INTENT } from "../../api/names.ts";
import type { Reason } from "../../api/reasons.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ms } from "../contract/kind.ts";
import { conditionOf } from "../contract/status.ts";
import { recordOrphan, remove } from "./delete.ts";

const HOUR = 3_600_000;

type Policy = "Retain" | "Delete" | "Stop";

/** A recorded resource with the finalizer that is being deleted. */
function going(policy: Policy, script: Script = RECORDED): Script {
  const meta = { ...script.meta, finalizers: [FINALIZER], deletionTimestamp: "2026-11-21T09:00:00Z" };
  return { ...script, meta, spec: { ...script.spec, lifecycle: { deletionPolicy: policy } } };
}

const UNRECORDED: Script = { status: {} };

type Arrange = (env: Scripted) => void;

const nothing: Arrange = () => {};

async function removed(script: Script, arrange: Arrange = nothing) {
  const env = await scripted(script);
  arrange(env);
  const again = await remove(env.r);
  return { ...env, again, isReleased: again === undefined };
}

/** The events about the end of the deletion, e.g. "Normal Deleted". */
const told = ({ events }: Scripted): readonly string[] =>
  events.filter(({ action }) => action === "Delete").map(({ type, reason }) => `${type} ${reason}`);
const reasonOf = ({ object }: Scripted): string | undefined => conditionOf(object() ?? {}, "Ready")?.reason;
const orphansOf = ({ r }: Scripted): readonly string[] => r.ports.orphans.all().map(({ why }) => why);

const stalled = (reason: Reason): NonNullable<Script["plans"]> => [
  { is: "stalled", why: { reason, message: "It says so." } },
];

describe("a deletion that releases the resource", () => {
  it.each<
    [what: string, script: Script, happened: readonly string[], events: readonly string[], orphans: readonly string[]]
  >([
    [
      "under Retain records the orphan and sends nothing",
      going("Retain"),
      ["write no finalizer"],
      ["Normal Orphaned"],
      ["Retain"],
    ],
    [
      "under Delete deletes the object first",
      { ...going("Delete"), plans: [step(STEPS.delete), SETTLED] },
      ["read", "confirm", "send delete", "write no finalizer"],
      ["Normal Deleted"],
      [],
    ],
    [
      "under Delete sends nothing where the object is gone already",
      { ...going("Delete"), plans: [SETTLED] },
      ["read", "write no finalizer"],
      ["Normal Deleted"],
      [],
    ],
    [
      "under Stop stops the object and records the orphan",
      { ...going("Stop"), plans: [step(STEPS.stop), SETTLED] },
      ["read", "confirm", "send stop", "write no finalizer"],
      ["Normal Orphaned"],
      ["Stop"],
    ],
    [
      "of a resource without an id and without an intent has nothing to do",
      going("Delete", UNRECORDED),
      ["write no finalizer"],
      [],
      [],
    ],
    [
      "of an id that was given and never adopted leaves the object alone, with a Warning",
      going("Delete", { ...UNRECORDED, spec: { externalId: ID } }),
      ["write no finalizer"],
      ["Warning Orphaned"],
      [],
    ],
  ])("%s", async (_, script, happened, events, orphans) => {
    const done = await removed(script);
    expect(done.isReleased).toBe(true);
    expect(done.happened).toEqual(happened);
    expect(told(done)).toEqual(events);
    expect(orphansOf(done)).toEqual(orphans);
  });

  it.each<Reason>([
    "DeleteNotSupported",
    "NotSupportedByPlatform",
    "NotObservable",
    "CreateResultUnknown",
    "DuplicateRemote",
    "AlreadyManaged",
    "NameConflict",
    "ForeignLedger",
    "UnreadableLedger",
    "ParentChanged",
  ])("because of %s warns and records the orphan", async (reason) => {
    const done = await removed({ ...going("Delete"), plans: stalled(reason) });
    expect(done.isReleased).toBe(true);
    expect(told(done)).toEqual(["Warning Orphaned"]);
    expect(orphansOf(done)).toEqual([reason]);
  });

  it("does nothing for a resource without the operator's finalizer", async () => {
    const { meta, ...script } = going("Delete");
    const done = await removed({ ...script, meta: { ...meta, finalizers: ["somebody/else"] } });
    expect(done.happened).toEqual([]);
  });

  it("under Retain warns where a create may have made an object that is not recorded", async () => {
    const annotations = { [INTENT]: "{}" };
    const done = await removed(going("Retain", { ...UNRECORDED, meta: { annotations } }));
    expect(told(done)).toEqual(["Warning Orphaned"]);
  });
});

describe("a deletion that keeps the resource", () => {
  it.each<[what: string, script: Script, reason: Reason]>([
    [
      "waits for the platform",
      { plans: [{ is: "waiting", why: { reason: "Stopping", message: "It stops." } }] },
      "Stopping",
    ],
    ["reports a rejected deletion", { plans: stalled("DeleteFailed") }, "DeleteFailed"],
    ["is blocked by a token that lacks a scope", { plans: stalled("PermissionDenied") }, "DeletionBlocked"],
    ["is blocked by a rejected token", { plans: stalled("CredentialsInvalid") }, "DeletionBlocked"],
  ])("%s", async (_, script, reason) => {
    const done = await removed({ ...going("Delete"), ...script });
    expect(done.isReleased).toBe(false);
    expect(reasonOf(done)).toBe(reason);
    expect(told(done)).toEqual([]);
  });

  it.each<[what: string, script: Script]>([
    ["an invalid spec", { ...going("Delete"), spec: { name: 5, lifecycle: { deletionPolicy: "Delete" } } }],
    [
      "a connection that leads elsewhere",
      going("Delete", {
        ...RECORDED,
        status: { ...RECORDED.status, writeLedger: { identity: { ...IDENTITY, host: "old.example" } } },
      }),
    ],
  ])("is blocked by %s", async (_, script) => {
    const done = await removed(script);
    expect(done.isReleased).toBe(false);
    expect(reasonOf(done)).toBe("DeletionBlocked");
  });

  it("waits for the resources that refer to this one", async () => {
    const done = await removed(going("Delete"), ({ cluster, r }) => {
      const child = cluster.create("Widget", "child", { name: "child" });
      r.ports.dependencies.set(keyOf(child), [keyOf(r.object)], []);
    });
    expect(done.happened).toEqual(["write status"]);
    expect(reasonOf(done)).toBe("WaitingForChildren");
  });
});

describe("objects below the deleted one", () => {
  const below = { writeLedger: { identity: { ...IDENTITY, parentId: ID } } };
  const recordedBelow: Arrange = ({ cluster, r }) => {
    cluster.create("Widget", "child", { name: "child" });
    cluster.status("Widget", "child", { externalId: uuid(2), ...below });
    r.ports.idOwnership.set(cluster.get("Widget", "child"), undefined);
  };
  const retainedBelow =
    (why: string): Arrange =>
    ({ r }) => {
      void r.ports.orphans.add(orphan({ id: uuid(2), parentId: ID, why }));
    };

  it.each<[what: string, arrange: Arrange, script: Script, reason: Reason | undefined]>([
    ["hold the deletion while a resource stands for them", recordedBelow, {}, "WaitingForChildren"],
    ["hold it while the orphan ledger keeps them under Retain", retainedBelow("Retain"), {}, "DeletionBlocked"],
    ["hold it while the orphan ledger keeps them under Stop", retainedBelow("Stop"), {}, "DeletionBlocked"],
    ["do not hold it where they could not be deleted", retainedBelow("DeleteNotSupported"), {}, undefined],
    [
      "do not hold it where the platform deletes nothing",
      recordedBelow,
      { surface: "Documented", plans: stalled("DeleteNotSupported") },
      undefined,
    ],
  ])("%s", async (_, arrange, script, reason) => {
    const done = await removed({ ...going("Delete"), ...script }, arrange);
    expect(done.isReleased).toBe(reason === undefined);
    expect(reasonOf(done)).toBe(reason);
  });

  it("do not hold a stop, which takes nothing from the platform", async () => {
    const done = await removed(going("Stop"), recordedBelow);
    expect(done.isReleased).toBe(true);
  });
});

describe("a deletion whose connection is missing", () => {
  const withoutConnection: Arrange = ({ r }) => {
    const why = { reason: "ConnectionNotReady", message: "There is none." } as const;
    Object.assign(r.ports, { route: () => ({ is: "none", why }) });
  };
  const namespace = (terminating: boolean): NonNullable<Script["ports"]> => ({
    namespaces: { get: () => Promise.resolve({ uid: "ns", labels: {}, terminating }) },
  });
  /** The connection that the object was recorded with was never open in this process. */
  const elsewhere = {
    ...RECORDED,
    status: { ...RECORDED.status, writeLedger: { identity: { ...IDENTITY, connectionUid: "uid-gone" } } },
  };

  it.each<[what: string, terminating: boolean, afterMs: Ms, isReleased: boolean]>([
    ["waits for an hour", false, HOUR - 1, false],
    ["ends after an hour", false, HOUR, true],
    ["waits for five minutes in a namespace that terminates", true, 300_000 - 1, false],
    ["ends after five minutes in a namespace that terminates", true, 300_000, true],
  ])("%s", async (_, terminating, afterMs, isReleased) => {
    const env = await scripted({ ...going("Delete", elsewhere), ports: namespace(terminating) });
    withoutConnection(env);
    expect(await remove(env.r)).toBeTypeOf("number");
    expect(conditionOf(env.object() ?? {}, "Stalled")?.reason).toBe("ConnectionNotReady");
    await env.clock.advance(afterMs);
    env.r.object = env.object() ?? env.r.object;
    expect((await remove(env.r)) === undefined).toBe(isReleased);
  });

  it("begins its time again once the connection was found", async () => {
    const plans: NonNullable<Script["plans"]> = [{ is: "waiting", why: { reason: "Stopping", message: "It stops." } }];
    const env = await scripted({ ...going("Delete", elsewhere), plans });
    const { route } = env.r.ports;
    withoutConnection(env);
    await remove(env.r);
    await env.clock.advance(HOUR - 1);
    Object.assign(env.r.ports, { route });
    env.r.object = env.object() ?? env.r.object;
    await remove(env.r);
    withoutConnection(env);
    await env.clock.advance(1);
    // As before the connection was recorded.
    env.r.object = { ...(env.object() ?? env.r.object), status: elsewhere.status };
    expect(await remove(env.r)).toBeTypeOf("number");
  });

  it("ends after an hour without the token that no process has read", async () => {
    const env = await scripted({ ...going("Delete", elsewhere), ports: namespace(false) });
    const found = env.r.ports.route(env.r.object);
    const connection = found.is === "found" ? env.r.ports.connections.last(found.key) : undefined;
    Object.assign(connection ?? {}, { notReadyReason: { reason: "CredentialsMissing", message: "It says so." } });
    expect(await remove(env.r)).toBeTypeOf("number");
    await env.clock.advance(HOUR);
    env.r.object = env.object() ?? env.r.object;
    expect(await remove(env.r)).toBeUndefined();
  });

  it.each<[what: string, reason: Reason, expected: string]>([
    ["waits for an outage to end, however long", "PlatformUnreachable", "ConnectionNotReady"],
    ["is blocked while the token is rejected", "CredentialsInvalid", "DeletionBlocked"],
  ])("%s", async (_, reason, expected) => {
    const env = await scripted(going("Delete"));
    const found = env.r.ports.route(env.r.object);
    const connection = found.is === "found" ? env.r.ports.connections.last(found.key) : undefined;
    Object.assign(connection ?? {}, { notReadyReason: { reason, message: "It says so." } });
    await remove(env.r);
    await env.clock.advance(10 * HOUR);
    env.r.object = env.object() ?? env.r.object;
    expect(await remove(env.r)).toBeTypeOf("number");
    expect(reasonOf(env)).toBe(expected);
  });
});

describe("an orphan that cannot be recorded", () => {
  const failingLedger = async (script: Script) => {
    const env = await scripted(script);
    const add = () => Promise.reject(new KubeError("Forbidden", 403, "denied"));
    Object.assign(env.r.ports.orphans, { add });
    return env;
  };

  it("holds the resource, and its status says so", async () => {
    const env = await failingLedger(going("Retain"));
    expect(await remove(env.r)).toBeTypeOf("number");
    expect(reasonOf(env)).toBe("PermissionDenied");
  });

  it.each<[what: string, afterMs: Ms, isReleased: boolean]>([
    ["holds the resource for five minutes", 300_000 - 1, false],
    ["releases the resource after five minutes, with a Warning", 300_000, true],
  ])("%s", async (_, afterMs, isReleased) => {
    const env = await failingLedger(going("Retain"));
    await remove(env.r);
    await env.clock.advance(afterMs);
    env.r.object = env.object() ?? env.r.object;
    expect((await remove(env.r)) === undefined).toBe(isReleased);
    expect(told(env)).toEqual(isReleased ? ["Warning OrphanNotRecorded", "Normal Orphaned"] : []);
  });
});

describe("the orphan of a resource that is gone already", () => {
  const lifecycle = (members: JsonObject): Script => ({ ...RECORDED, spec: { lifecycle: members } });

  it.each<[what: string, script: Script, arrange: Arrange, recorded: readonly string[]]>([
    ["is recorded under Retain", RECORDED, nothing, ["Retain"]],
    ["is not recorded where a finalizer held the resource", lifecycle({ deletionPolicy: "Delete" }), nothing, []],
    ["is not recorded where the operator only observed", lifecycle({ managementPolicy: "ObserveOnly" }), nothing, []],
    ["is not recorded without an id", UNRECORDED, nothing, []],
    ["is not recorded in a dry run", RECORDED, ({ r }) => void Object.assign(r.ports, { dryRun: true }), []],
    [
      "is not recorded where another resource holds the object",
      RECORDED,
      ({ r }) => {
        const holder = {
          ...r.object,
          metadata: { ...r.object.metadata, name: "holder", creationTimestamp: "2026-01-01T00:00:00Z" },
        };
        r.ports.idOwnership.set(holder, undefined);
      },
      [],
    ],
    [
      "is not recorded where another installation recorded the object",
      {
        ...RECORDED,
        status: { ...RECORDED.status, writeLedger: { identity: { ...IDENTITY, installation: "another" } } },
      },
      nothing,
      [],
    ],
  ])("%s", async (_, script, arrange, recorded) => {
    const env = await scripted(script);
    arrange(env);
    recordOrphan(env.r.ports, env.r.kind, env.r.object);
    await env.r.ports.orphans.expected();
    expect(orphansOf(env)).toEqual(recorded);
  });

  it.each<[what: string, told: string, isKept: boolean]>([
    ["of 8 KiB at most is kept", "x", true],
    ["that is larger is left out", "x".repeat(8 * 1_024), false],
  ])("a memory %s", async (_, text, isKept) => {
    const env = await scripted({ ...RECORDED, status: { ...RECORDED.status, told: text } });
    recordOrphan(env.r.ports, env.r.kind, env.r.object);
    await env.r.ports.orphans.expected();
    expect(env.r.ports.orphans.all().map(({ memory }) => memory)).toEqual([isKept ? { told: text } : undefined]);
  });
});
