import { describe, expect, it } from "vitest";

import { apiError, uuid } from "../../../test/support/engine/fake-platform.ts";
import {
  endOf,
  ID,
  IDENTITY,
  RECORDED,
  resolved,
  type Script,
  scripted,
} from "../../../test/support/engine/scripted.ts";
import { INTENT, RESOLVE } from "../../api/names.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Trace } from "../contract/kind.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { recover } from "./recover.ts";

const UID = "uid-a";
const INTENT_OF_CREATE = {
  v: 1,
  uid: UID,
  resource: "Widget/team/a",
  installation: IDENTITY.installation,
  attempt: "1-abc",
  op: "create",
  creates: true,
  generation: 1,
  name: "a",
  mark: null,
} as const;
const INTENT_OF_ACTION = { ...INTENT_OF_CREATE, op: "deploy", creates: false, id: ID, commit: "c1", mark: 0 } as const;

/** A resource with the intent of a create. */
const creating = (change: JsonObject = {}, meta: NonNullable<Script["meta"]> = {}): Script => ({
  meta: { uid: UID, annotations: { [INTENT]: JSON.stringify({ ...INTENT_OF_CREATE, ...change }) }, ...meta },
});
/** A recorded resource with the intent of an action. */
const acting = (change: JsonObject = {}): Script => ({
  meta: { uid: UID, ...RECORDED.meta },
  status: { ...RECORDED.status, writeLedger: { identity: IDENTITY, intent: { ...INTENT_OF_ACTION, ...change } } },
});

type Arrange = (r: Resolved) => void;

const nothing: Arrange = () => {};
const unsent: Arrange = ({ local }) => local.persistence.noteNotExecuted("1-abc");
const answered: Arrange = ({ local }) => local.persistence.noteAnswer({ attempt: "1-abc", id: ID, memory: {} });
const seen: Arrange = ({ local, ports }) => void local.persistence.seenFor("1-abc", ports.clock.monotonic());
const superseded: Arrange = (r) => {
  r.context = { ...r.context, resource: { ...r.context.resource, generation: 2 } };
};

const LANDED: Trace = { is: "landed", known: [{ observed: {}, memory: {}, id: ID }] };
const SEVERAL: Trace = { is: "landed", known: [1, 2].map((n) => ({ observed: {}, memory: {}, id: uuid(n) })) };
const UNKNOWABLE: Trace = {
  is: "unknowable",
  why: { reason: "CreateResultUnknown", message: "Nobody can tell." },
};
const REPEATABLE: Trace = {
  is: "unknowable",
  why: { reason: "NotObservable", message: "Nothing shows it." },
  repeatable: true,
};
const UNREAD: Trace = { is: "unread", why: { reason: "Progressing", message: "The read failed." } };

const MINUTE = 60_000;

async function recovered(script: Script, arrange: Arrange = nothing, laterMs = 0) {
  const env = await scripted(script);
  const r = await resolved(env);
  arrange(r);
  if (laterMs > 0) {
    seen(r);
    await env.clock.advance(laterMs);
  }
  const done = await recover(r);
  const end = done === undefined ? "goes on" : done instanceof ApiError ? `error ${done.failure.is}` : endOf(done);
  return { ...env, r, done, end };
}

type Row = readonly [what: string, script: Script, arrange: Arrange, happened: readonly string[], end: string];

describe("without a trace", () => {
  it.each<Row>([
    ["a reconcile without an intent goes on", RECORDED, nothing, [], "goes on"],
    ["a create that this process did not send is cleared", creating(), unsent, ["write no intent"], "goes on"],
    ["an action that this process did not send is closed", acting(), unsent, [], "goes on"],
    ["a create whose answer this process has is recorded", creating(), answered, ["write no intent, id"], "goes on"],
    [
      "a create that the user resolved is cleared",
      creating({}, { annotations: { ...creating().meta?.annotations, [RESOLVE]: "recreate:1-abc" } }),
      nothing,
      ["write no intent"],
      "goes on",
    ],
    [
      "a create is cleared once the user has named its object",
      { ...creating(), spec: { externalId: ID } },
      nothing,
      ["write no intent"],
      "goes on",
    ],
    [
      "an intent that a copied manifest brought along is cleared",
      creating({ uid: "uid-b", resource: "Widget/team/b", name: "other" }),
      nothing,
      ["write no intent"],
      "goes on",
    ],
    ["an intent of an unknown version stops everything", creating({ v: 2 }), nothing, [], "stalled UnreadableLedger"],
    [
      "an action in the annotation, which users can write, stops everything",
      { meta: { uid: UID, annotations: { [INTENT]: JSON.stringify(INTENT_OF_ACTION) } } },
      nothing,
      [],
      "stalled UnreadableLedger",
    ],
    [
      "a create under another parent waits for a person",
      creating({ parentId: uuid(9) }),
      nothing,
      [],
      "stalled ParentChanged",
    ],
  ])("%s", async (_, script, arrange, happened, end) => {
    const done = await recovered(script, arrange);
    expect(done.end).toBe(end);
    expect(done.happened).toEqual(happened);
  });

  it.each<[what: string, script: Script, arrange: Arrange, closes: boolean]>([
    ["closes an action that was not sent", acting(), unsent, true],
    ["keeps a repetition that was not sent open", acting({ repetition: true }), unsent, false],
  ])("%s", async (_, script, arrange, closes) => {
    const { r } = await recovered(script, arrange);
    expect(r.local.persistence.state.outcome?.closesIntent ?? false).toBe(closes);
    expect(r.repeats).toBe(closes ? undefined : "deploy");
  });
});

describe("the create of another resource, which came with a saved manifest,", () => {
  const foreign = { uid: "uid-b", resource: "Widget/team/b" };

  it.each<[what: string, change: JsonObject, writerExists: boolean, happened: readonly string[], end: string]>([
    ["is traced where both want the same object", foreign, false, ["trace create"], "waiting Creating"],
    [
      "is traced where the names differ only in their letters' case",
      { ...foreign, name: " A" },
      false,
      ["trace create"],
      "waiting Creating",
    ],
    ["is cleared where the other resource exists", foreign, true, ["write no intent"], "goes on"],
    ["is cleared where this one wants another name", { ...foreign, name: "b" }, false, ["write no intent"], "goes on"],
    [
      "is cleared where this one has another parent",
      { ...foreign, parentId: uuid(9) },
      false,
      ["write no intent"],
      "goes on",
    ],
  ])("%s", async (_, change, writerExists, happened, end) => {
    const env = await scripted(creating(change));
    if (writerExists) env.cluster.create("Widget", "b", { name: "a" }, { uid: "uid-b" });
    const done = await recover(await resolved(env));
    expect(done === undefined || done instanceof ApiError ? "goes on" : endOf(done)).toBe(end);
    expect(env.happened).toEqual(happened);
  });

  it("is not recorded where it landed: the plan decides whether its object is adopted", async () => {
    const { happened, end } = await recovered({ ...creating(foreign), trace: LANDED });
    expect(end).toBe("goes on");
    expect(happened).toEqual(["trace create", "write no intent"]);
  });
});

it("the create of another installation in the cluster is awaited, and the message names it", async () => {
  const env = await scripted({ ...creating({ release: "operator-b" }), trace: UNKNOWABLE });
  const done = await recover(await resolved(env));
  const message: unknown = expect.stringMatching(/^The operator in namespace "operator-b" sent create of "a"/);
  expect(done).toMatchObject({ is: "waiting", why: { reason: "Creating", message } });
});

describe("a traced create", () => {
  it.each<[what: string, trace: Trace | ApiError, laterMs: number, happened: readonly string[], end: string]>([
    ["that landed goes on with its id", LANDED, 0, ["trace create"], "goes on"],
    ["with several results needs a person", SEVERAL, 0, ["trace create"], "stalled DuplicateRemote"],
    ["that nothing shows yet is awaited", { is: "absent" }, MINUTE - 1, ["trace create"], "waiting Creating"],
    [
      "that nothing shows after the landing window is cleared",
      { is: "absent" },
      MINUTE,
      ["trace create", "write no intent"],
      "goes on",
    ],
    ["that no read can show needs a person", UNKNOWABLE, 0, ["trace create"], "stalled CreateResultUnknown"],
    ["whose read failed is traced again", UNREAD, MINUTE - 1, ["trace create"], "waiting Creating"],
    [
      "whose reads failed for the whole landing window needs a person",
      UNREAD,
      MINUTE,
      ["trace create"],
      "stalled Progressing",
    ],
    [
      "whose trace fails ends the reconcile",
      apiError("list", { is: "Server" }, 503),
      0,
      ["trace create"],
      "error Server",
    ],
  ])("%s", async (_, trace, laterMs, happened, end) => {
    const done = await recovered({ ...creating(), trace }, nothing, laterMs);
    expect(done.end).toBe(end);
    expect(done.happened).toEqual(happened);
  });

  it("that landed is verified before it is recorded, like an id that the user gave", async () => {
    const { r } = await recovered({ ...creating(), trace: LANDED });
    expect(r.context.id).toBe(ID);
    expect(r.context.identitySource).toBe("given");
  });

  it("that landed is recorded at once while the resource is being deleted", async () => {
    const env = await scripted({ ...creating(), trace: LANDED });
    const r = await resolved(env, "absent");
    await recover(r);
    expect(env.happened).toEqual(["trace create", "write no intent, id"]);
    expect(r.context.identitySource).toBe("recorded");
  });

  it("gets the finalizer first, which a restored manifest may lack", async () => {
    const { happened } = await recovered({ ...creating(), spec: { lifecycle: { deletionPolicy: "Delete" } } });
    expect(happened).toEqual(["write finalizer", "trace create"]);
  });

  it.each<[what: string, trace: Trace, laterMs: number, command: RegExp]>([
    ["no read can show", UNKNOWABLE, 0, /recreate:1-abc/],
    ["was accepted without an id", { is: "absent" }, MINUTE, /--id ID/],
  ])("that %s names the command that resolves it", async (_, trace, laterMs, command) => {
    const accepted = trace.is === "absent" ? { accepted: {} } : {};
    const { done } = await recovered({ ...creating(accepted), trace }, nothing, laterMs);
    expect(done !== undefined && "why" in done && done.why.message).toMatch(command);
  });
});

describe("a traced action", () => {
  it.each<
    [what: string, change: JsonObject, trace: Trace, arrange: Arrange, laterMs: number, end: string, closes: boolean]
  >([
    ["that landed is closed", {}, LANDED, nothing, 0, "goes on", true],
    ["that nothing shows yet is awaited", {}, { is: "absent" }, nothing, MINUTE - 1, "waiting Progressing", false],
    ["that nothing shows after the landing window is closed", {}, { is: "absent" }, nothing, MINUTE, "goes on", true],
    ["that no read shows is awaited", {}, REPEATABLE, nothing, MINUTE - 1, "waiting Progressing", false],
    ["that no read shows is repeated once", {}, REPEATABLE, nothing, MINUTE, "goes on", false],
    [
      "that was repeated already needs a person",
      { repetition: true },
      REPEATABLE,
      nothing,
      MINUTE,
      "stalled NotObservable",
      false,
    ],
    ["that a newer generation supersedes is closed", {}, REPEATABLE, superseded, MINUTE, "goes on", true],
  ])("%s", async (_, change, trace, arrange, laterMs, end, closes) => {
    const done = await recovered({ ...acting(change), trace }, arrange, laterMs);
    expect(done.end).toBe(end);
    expect(done.r.local.persistence.state.outcome?.closesIntent ?? false).toBe(closes);
  });

  it("that may be repeated says so to the next step, and stays open until it is repeated", async () => {
    const { r } = await recovered({ ...acting(), trace: REPEATABLE }, nothing, MINUTE);
    expect(r.repeats).toBe("deploy");
  });
});
