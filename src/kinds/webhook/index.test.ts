import { describe, expect, it } from "vitest";

import { kindEnv, type SurfaceName } from "../../../test/support/kinds/env.ts";
import type { OpenIntent, Report } from "../../engine/contract/kind.ts";
import { webhook } from "./index.ts";

const TARGET = "https://user:hush@hooks.example.com/secret-path?key=hush";
const spec = { targetUrl: TARGET, events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_CANCELLED"] };
const OTHER = "00000000-0000-4000-8000-0000000000b2";

const settingsOf = ({ conditions }: Report) => conditions.filter(({ type }) => type === "SettingsSynced");

/** A platform for the tests of one `describe`, with a webhook that was just registered for each. */
const webhookEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    async (env) => {
      env.harness.simulator.world().webhooks.clear();
      return { hook: await env.begun(env.harness.webhook(spec)) };
    },
    () => ({}),
  );

describe.each<SurfaceName>(["Documented", "Full"])("a webhook on the surface %s", (surface) => {
  const env = webhookEnv(surface);

  it("shows scheme and host of its target alone, and is not touched by deletionPolicy Stop", async () => {
    const { hook } = env;
    const first = await hook.run();
    expect(first).toMatchObject({ ops: [], is: "settled", why: { reason: "Available" } });
    expect(await hook.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    const changed = await hook.run({ spec: { ...spec, targetUrl: `${TARGET}2` } });
    for (const ran of [first, changed]) {
      expect(ran.status).toMatchObject({ target: "https://hooks.example.com/…" });
      expect(JSON.stringify([ran.status, ran.why])).not.toMatch(/hush|secret-path|user/);
    }
  });

  it("is not found again without a list before the create: a person has to look", async () => {
    const intent = { op: "createWebhook", creates: true, mark: null } as OpenIntent;
    const traced = await webhook.trace(intent, env.hook.context(), env.harness.api);
    expect(traced).toMatchObject({ is: "unknowable", why: { reason: "CreateResultUnknown" } });
    const { message } = traced.is === "unknowable" ? traced.why : { message: "" };
    expect(message).toContain("spec.externalId");
    expect(message.includes("allowUnverifiedIds")).toBe(surface === "Documented");
    expect(message.length).toBeLessThanOrEqual(300);
  });

  it("is not created where one is required", async () => {
    const elsewhere = { ...spec, targetUrl: "https://other.example.com/x" };
    const required = await env.harness.webhook(elsewhere).run({ adoption: "Required" });
    expect(required).toMatchObject({ ops: [], end: "waiting DependencyNotReady" });
  });

  it("is neither registered nor deleted through a connection that is limited to some projects", async () => {
    const limited = { allowedProjects: [OTHER], allowUnverifiedIds: false };
    const why = { reason: "NotObservable", message: expect.stringContaining("in all projects") };
    const hook = env.harness.webhook(spec);
    expect(await hook.run(limited)).toMatchObject({ ops: [], is: "stalled", why });
    expect(await hook.run({ ...limited, allowUnverifiedIds: true })).toMatchObject({ is: "settled" });
    env.sent();
    expect(await hook.run({ ...limited, goal: "absent" })).toMatchObject({ ops: [], is: "stalled", why });
    expect(env.sent()).toEqual([]);
  });
});

describe("a webhook that the platform shows", () => {
  const env = webhookEnv("Full");

  it.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ["target", { targetUrl: "https://other.example.com/x" }, "spec.targetUrl", "https://other.example.com/…"],
    ["hidden part of the target", { targetUrl: `${TARGET}2` }, "spec.targetUrl", "another user, path or query"],
    ["events", { events: ["DEPLOYMENT_STARTED"] }, "spec.events", "DEPLOYMENT_STARTED"],
    ["state", { enabled: false }, "spec.enabled", "false"],
  ])("has a changed %s reported field by field and corrected", async (_name, change, path, observed) => {
    const { harness, hook } = env;
    harness.edit(hook.id(), change);
    const result = await hook.run({ blockedOperations: new Set(["updateWebhook"]) });
    const one = { path, desired: expect.any(String), observed: expect.stringContaining(observed) };
    expect(result).toMatchObject({ ops: [], is: "settled" });
    expect(result.report.drift).toEqual([one]);
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift: [] } });
    const body = { target_url: TARGET, events: spec.events, enabled: true, kind: "STANDARD" };
    expect(harness.writes()).toMatchObject([["updateWebhook", body]]);
    expect(await hook.run()).toMatchObject({ ops: [], report: { drift: [] } });
  });

  it("is sent once, reported, and deleted where the platform stores it differently", async () => {
    const { harness, hook } = env;
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
    hook.around.key = "lost";
    expect(await hook.run({ goal: "absent" })).toMatchObject({ end: "stalled NameConflict" });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ end: "stalled NameConflict" });
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift } });
    harness.edit(hook.id(), stored);
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: ["deleteWebhook"], is: "settled" });
    expect(harness.simulator.world().webhooks.has(hook.id() ?? "")).toBe(false);
  });

  it("gets another value of its secret, and none of it is shown; the secret goes once it leaves the spec", async () => {
    const { harness } = env;
    const hook = harness.webhook({ ...spec, targetUrl: `${TARGET}3`, targetSecretRef: { name: "hook" } });
    const secretOf = () => harness.simulator.world().webhooks.get(hook.id() ?? "")?.settings["target_secret"];
    hook.around.values = { "spec.targetSecretRef": "first-s3cret" };
    expect(await hook.run()).toMatchObject({ ops: ["createWebhook"], is: "settled" });
    expect(secretOf()).toBe("first-s3cret");
    hook.around.values = { "spec.targetSecretRef": "second-s3cret" };
    hook.around.sources = "s@2";
    const changed = await hook.run();
    expect(changed).toMatchObject({ ops: ["updateWebhook"], is: "settled" });
    expect(JSON.stringify([changed, harness.writes().length])).not.toContain("s3cret");
    expect(secretOf()).toBe("second-s3cret");
    expect(await hook.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(await hook.run({ spec: { ...spec, targetUrl: `${TARGET}3` } })).toMatchObject({ ops: ["updateWebhook"] });
    expect(secretOf()).toBeUndefined();
  });

  it.each<[string, object, Readonly<Record<string, unknown>>]>([
    ["description", { description: "ours" }, { settings: { kind: "STANDARD", description: "theirs" } }],
    [
      "projectNamesFilter",
      { projectNamesFilter: ["shop*", "pay"] },
      { settings: { kind: "STANDARD", project_names_filter: [] } },
    ],
    ["environmentTypesFilter", { environmentTypesFilter: ["STAGING"] }, { settings: { kind: "STANDARD" } }],
  ])("has its %s corrected, and is left alone where the spec has none", async (name, member, theirs) => {
    const { harness } = env;
    const mine = { ...spec, targetUrl: `${TARGET}-${name}` };
    const hook = await env.begun(harness.webhook({ ...mine, ...member }));
    expect(await hook.run()).toMatchObject({ ops: [], is: "settled" });
    harness.edit(hook.id(), theirs);
    const reported = await hook.run({ blockedOperations: new Set(["updateWebhook"]) });
    expect(reported.report.drift).toMatchObject([{ path: `spec.${name}` }]);
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled" });
    harness.edit(hook.id(), theirs);
    expect(await hook.run({ spec: mine })).toMatchObject({ ops: [], is: "settled" });
  });

  it("has its events in any order", async () => {
    env.harness.edit(env.hook.id(), { events: spec.events.toReversed() });
    expect(await env.hook.run()).toMatchObject({ ops: [], report: { drift: [] } });
  });

  it("is reported when it is gone, and never registered again", async () => {
    const { hook } = env;
    env.harness.remove(hook.id());
    const gone = await hook.run({ onMissing: "Recreate" });
    expect(gone).toMatchObject({ ops: [], end: "stalled ExternalResourceDeleted" });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual([]);
  });

  it("is adopted by its target, and its settings are sent", async () => {
    const { harness, hook } = env;
    const adopter = harness.webhook({ ...spec, enabled: false });
    expect(await adopter.run()).toMatchObject({ ops: ["adopt", "updateWebhook"], is: "settled" });
    expect(adopter.id()).toBe(hook.id());
    expect(harness.simulator.world().webhooks.size).toBe(1);
  });

  it("is left to the resource that holds it: another resource with the same target gets its own", async () => {
    const { harness, hook } = env;
    const holderOf = (id: string) => (id === hook.id() ? "shop/first" : undefined);
    const second = harness.webhook(spec);
    expect(await second.run({ holderOf })).toMatchObject({ ops: ["createWebhook"], is: "settled" });
    expect([...harness.simulator.world().webhooks.keys()]).toEqual([hook.id(), second.id()]);
  });

  it("is not chosen from several with its target", async () => {
    const { harness } = env;
    await env.begun(harness.webhook({ ...spec, targetUrl: `${TARGET}2` }));
    for (const { id } of harness.simulator.world().webhooks.values()) harness.edit(id, { targetUrl: TARGET });
    expect(await harness.webhook(spec).run()).toMatchObject({ ops: [], end: "stalled DuplicateRemote" });
    expect(await harness.webhook(spec).run({ adoption: "Never" })).toMatchObject({ ops: ["createWebhook"] });
  });

  it("is found by its target after a create without an answer, and not created again", async () => {
    const { harness } = env;
    const lost = harness.webhook({ ...spec, targetUrl: `${TARGET}3` });
    harness.fault("createWebhook", { is: "reset" }, { effect: "applied" });
    await lost.run().catch(() => undefined);
    harness.writes();
    expect(await lost.run()).toMatchObject({ is: "settled" });
    expect(env.sent()).toEqual([]);
    expect(harness.simulator.world().webhooks.has(lost.id() ?? "")).toBe(true);
  });

  it("is adopted by its id, which the organization must have", async () => {
    const adopter = env.harness.webhook({ ...spec, enabled: false, externalId: env.hook.id() ?? "" });
    expect(await adopter.run()).toMatchObject({ ops: ["adopt", "updateWebhook"], is: "settled" });
    const lost = env.harness.webhook({ ...spec, externalId: OTHER });
    expect(await lost.run()).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
  });
});

describe("a webhook that the platform does not show", () => {
  const env = webhookEnv("Documented");

  it("cannot be changed, and is no problem any more once the change is reverted", async () => {
    const elsewhere = { ...spec, targetUrl: "https://other.example.com/hush" };
    const changed = await env.hook.run({ spec: elsewhere });
    expect(changed).toMatchObject({ ops: [], is: "settled", status: { target: "https://hooks.example.com/…" } });
    expect(changed.why.message).not.toContain("other.example.com");
    expect(changed.status["drift"]).toBeUndefined();
    expect(settingsOf(changed.report)).toMatchObject([
      { status: "False", reason: "UpdateNotSupported", message: expect.stringContaining("spec.targetUrl") },
    ]);
    expect(await env.hook.run({ spec: elsewhere })).toMatchObject({ ops: [], is: "settled", wrote: false });
    const reverted = await env.hook.run({ spec: { ...spec, events: spec.events.toReversed() } });
    expect(reverted).toMatchObject({ is: "settled" });
    expect(settingsOf(reverted.report)).toEqual([]);
    expect(env.sent()).toEqual([]);
  });

  it("is adopted by its id only if the connection accepts it, and changes are noticed from then on", async () => {
    const given = { ...spec, externalId: OTHER };
    const hook = env.harness.webhook(given);
    expect(await hook.run({ allowUnverifiedIds: false })).toMatchObject({ ops: [], end: "stalled NotObservable" });
    expect(await hook.run({ allowUnverifiedIds: true })).toMatchObject({ ops: ["adopt"], is: "settled" });
    const { report } = await hook.run({ spec: { ...given, enabled: false } });
    expect(settingsOf(report)).toMatchObject([{ status: "False", reason: "UpdateNotSupported" }]);
  });
});
