import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startKindHarness, type KindHarness, type SurfaceName } from "../../../test/support/kinds/env.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import { webhook } from "./index.ts";

const TARGET = "https://user:hush@hooks.example.com/secret-path?key=hush";
const spec = { targetUrl: TARGET, events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILED"] };
const body = { target_url: TARGET, events: spec.events, enabled: true };
const OTHER = "00000000-0000-4000-8000-0000000000b2";

let harness: KindHarness;

afterEach(async () => {
  await harness.close();
});

/** A webhook that was just registered. */
async function registered() {
  const hook = harness.webhook(spec);
  await hook.run();
  harness.writes();
  return hook;
}

describe.each<[SurfaceName, object]>([
  ["Documented", body],
  ["Full", { ...body, kind: "STANDARD" }],
])("a webhook on the surface %s", (surface, sent) => {
  beforeEach(async () => {
    harness = await startKindHarness(surface);
  });

  it("is registered once, shows scheme and host of its target alone, and is not touched by deletionPolicy Stop", async () => {
    const hook = harness.webhook(spec);
    const first = await hook.run();
    expect(first).toMatchObject({ ops: ["createWebhook"], end: "settled Available" });
    expect(harness.writes()).toEqual([["createWebhook", sent]]);
    expect(await hook.run()).toMatchObject({ ops: [], is: "settled" });
    for (const _round of [1, 2]) expect(await hook.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(harness.simulator.world().webhooks.get(hook.id() ?? "")).toMatchObject({ targetUrl: TARGET, enabled: true });
    expect(await hook.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    const changed = await hook.run({ spec: { ...spec, targetUrl: `${TARGET}2` } });
    for (const ran of [first, changed]) {
      expect(ran.status).toMatchObject({ target: "https://hooks.example.com/…" });
      expect(JSON.stringify([ran.status, ran.why])).not.toMatch(/hush|secret-path|user/);
    }
  });

  it("is not found again after an unknown outcome: a person has to look", async () => {
    const intent = { op: "createWebhook", creates: true } as OpenIntent;
    const traced = await webhook.trace(intent, harness.webhook(spec).pass(), harness.api);
    expect(traced).toMatchObject({ is: "unknowable", why: { reason: "CreateResultUnknown" } });
    const { message } = traced.is === "unknowable" ? traced.why : { message: "" };
    expect(message).toContain("resolve=recreate");
    expect(message.includes("allowUnverifiedIds")).toBe(surface === "Documented");
    expect(message.length).toBeLessThanOrEqual(300);
  });

  it("is not created where one is required, and not while another resource holds it", async () => {
    expect(await harness.webhook(spec).run({ adoption: "Required" })).toMatchObject({
      end: "waiting DependencyNotReady",
    });
    const hook = await registered();
    const adopter = harness.webhook({ ...spec, externalId: hook.id() ?? "" });
    const held = await adopter.run({ allowUnverifiedIds: true, holderOf: () => "shop/first" });
    expect(held).toMatchObject({ ops: [], end: "stalled AlreadyManaged" });
    expect(harness.writes()).toEqual([]);
  });

  it("is neither registered nor deleted through a connection that is limited to some projects", async () => {
    const limited = { allowedProjects: [OTHER], allowUnverifiedIds: false };
    const why = { reason: "NotObservable", message: expect.stringContaining("in all projects") };
    const hook = harness.webhook(spec);
    expect(await hook.run(limited)).toMatchObject({ ops: [], is: "stalled", why });
    expect(await hook.run({ ...limited, allowUnverifiedIds: true })).toMatchObject({ is: "settled" });
    harness.writes();
    expect(await hook.run({ ...limited, goal: "absent" })).toMatchObject({ ops: [], is: "stalled", why });
    expect(harness.writes()).toEqual([]);
  });
});

describe("on the full surface", () => {
  beforeEach(async () => {
    harness = await startKindHarness("Full");
  });

  it.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ["target", { targetUrl: "https://other.example.com/x" }, "spec.targetUrl", "https://other.example.com/…"],
    ["hidden part of the target", { targetUrl: `${TARGET}2` }, "spec.targetUrl", "another user, path or query"],
    ["events", { events: ["DEPLOYMENT_STARTED"] }, "spec.events", "DEPLOYMENT_STARTED"],
    ["state", { enabled: false }, "spec.enabled", "false"],
  ])("a changed %s is reported field by field and corrected", async (_name, change, path, observed) => {
    const hook = await registered();
    harness.edit(hook.id(), change);
    const result = await hook.run({ blockedOperations: new Set(["updateWebhook"]) });
    expect(result).toMatchObject({ ops: [], is: "settled" });
    expect(result.report.drift).toEqual([
      { path, desired: expect.any(String), observed: expect.stringContaining(observed) },
    ]);
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift: [] } });
    expect(harness.writes()).toMatchObject([["updateWebhook", { ...body, kind: "STANDARD" }]]);
    expect(await hook.run()).toMatchObject({ ops: [], report: { drift: [] } });
  });

  it("one that the platform stores differently is sent once, reported, and deleted", async () => {
    const hook = await registered();
    const [stored, drift] = [{ targetUrl: `${TARGET}/` }, [{ path: "spec.targetUrl" }]];
    harness.fault("updateWebhook", { is: "edited", set: { target_url: `${TARGET}/` } }, { count: null });
    harness.edit(hook.id(), stored);
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift } });
    harness.edit(hook.id(), stored);
    const again = await hook.run();
    expect(again).toMatchObject({ ops: [], is: "settled", wrote: false, report: { drift } });
    expect(JSON.stringify(again.status)).not.toMatch(/hush|secret-path|user:/);
    harness.edit(hook.id(), { targetUrl: "https://other.example.com/x" });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ end: "stalled NameConflict" });
    hook.around.token = "rotated";
    expect(await hook.run({ goal: "absent" })).toMatchObject({ end: "stalled NameConflict" });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ end: "stalled NameConflict" });
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift } });
    harness.edit(hook.id(), stored);
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: ["deleteWebhook"], is: "settled" });
    expect(harness.simulator.world().webhooks.size).toBe(0);
  });

  it("ignores the order of events", async () => {
    const hook = await registered();
    harness.edit(hook.id(), { events: spec.events.toReversed() });
    expect(await hook.run()).toMatchObject({ ops: [], report: { drift: [] } });
  });

  it("one that is gone is reported, and never registered again", async () => {
    const hook = await registered();
    harness.remove(hook.id());
    const gone = await hook.run({ onMissing: "Recreate" });
    expect(gone).toMatchObject({ ops: [], end: "stalled ExternalResourceDeleted" });
    expect(harness.writes()).toEqual([]);
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
  });

  it("is adopted by its id, which the organization must have", async () => {
    const hook = await registered();
    const adopter = harness.webhook({ ...spec, enabled: false, externalId: hook.id() ?? "" });
    expect(await adopter.run()).toMatchObject({ ops: ["adopt", "updateWebhook"], is: "settled" });
    const lost = harness.webhook({ ...spec, externalId: OTHER });
    expect(await lost.run()).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
  });
});

describe("on the documented surface", () => {
  beforeEach(async () => {
    harness = await startKindHarness("Documented");
  });

  it("a change cannot be made, and is no problem any more once it is reverted", async () => {
    const hook = await registered();
    const changed = await hook.run({ spec: { ...spec, enabled: false } });
    expect(changed).toMatchObject({ ops: [], end: "stalled UpdateNotSupported" });
    expect(changed.status["drift"]).toBeUndefined();
    expect(await hook.run({ spec: { ...spec, events: spec.events.toReversed() } })).toMatchObject({ is: "settled" });
    expect(harness.writes()).toEqual([]);
  });

  it("an id is adopted only if the connection accepts it, and changes are noticed from then on", async () => {
    const given = { ...spec, externalId: OTHER };
    const hook = harness.webhook(given);
    const refused = await hook.run({ allowUnverifiedIds: false });
    expect(refused).toMatchObject({ ops: [], end: "stalled NotObservable" });
    expect(await hook.run({ allowUnverifiedIds: true })).toMatchObject({ ops: ["adopt"], is: "settled" });
    const changed = await hook.run({ spec: { ...given, enabled: false } });
    expect(changed).toMatchObject({ end: "stalled UpdateNotSupported" });
  });
});
