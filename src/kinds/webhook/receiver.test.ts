import { describe, expect, it } from "vitest";

import { kindEnv, type SurfaceName } from "../../../test/support/kinds/env.ts";
import { RECEIVER } from "../../../test/support/kinds/kind-runner.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import { platformWebhook } from "./crd.ts";
import { webhook } from "./index.ts";

const spec = { receiver: true };
const TARGET = "https://hooks.example.com/deployments";
const { url, path, secret } = RECEIVER;
const MOVED = { ...RECEIVER, url: `https://elsewhere.example.com/${path}` };
const CLOSED = { ...RECEIVER, url: { reason: "DependencyNotReady", message: "Set --webhook-url." } } as const;
const OTHER_KEY = { url: "https://hooks.example.com/us/team/thing/other", path: "team/thing/other", secret: "another" };
const EVENTS = {
  Documented: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"],
  Full: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL", "DEPLOYMENT_FAILURE", "DEPLOYMENT_CANCELLED"],
} as const;

/** A webhook of the operator's own target is not taken over. */
const NEW = { adoption: "Never" } as const;

/** A platform for the tests of one `describe`, with a webhook of the operator that was just registered for each. */
const receiverEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    async (env) => {
      env.harness.simulator.world().webhooks.clear();
      return { hook: await env.begun(env.harness.webhook(spec)) };
    },
    () => ({}),
  );

describe("the spec of a webhook", () => {
  it.each<[string, object, string]>([
    ["a target and the operator", { targetUrl: TARGET, receiver: true, events: ["A"] }, "exactly one of"],
    ["no target", { events: ["A"] }, "exactly one of"],
    ["a target without events", { targetUrl: TARGET }, "events must be set"],
    ["the operator as no receiver", { receiver: false, targetUrl: TARGET, events: ["A"] }, "expected true"],
  ])("is refused with %s", (_name, given, says) => {
    expect(platformWebhook.spec.safeParse(given).error?.message).toContain(says);
  });
});

describe.each<SurfaceName>(["Documented", "Full"])("a webhook to the operator on the surface %s", (surface) => {
  const env = receiverEnv(surface);
  const isFull = surface === "Full";

  it("has the receiver's URL, the events that wake something and, where the platform takes it, the secret", async () => {
    const { harness } = env;
    const hook = harness.webhook(spec);
    const first = await hook.run(NEW);
    expect(first).toMatchObject({ ops: ["createWebhook"], is: "settled", why: { reason: "Available" } });
    const more = isFull ? { kind: "STANDARD", target_secret: "***" } : {};
    const body = { target_url: url, events: EVENTS[surface], enabled: true, ...more };
    expect(harness.writes()).toEqual([["createWebhook", body]]);
    expect(first.status["hasSecret"]).toBe(isFull);
    expect(await hook.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
  });

  it("gives the platform the secret itself, and shows neither it nor the path", async () => {
    const { harness, hook } = env;
    const settings = harness.simulator.world().webhooks.get(hook.id() ?? "")?.settings;
    expect(settings?.["target_secret"]).toBe(isFull ? secret : undefined);
    const { status, why } = await hook.run();
    expect(status["target"]).toBe("https://hooks.example.com/…");
    expect(JSON.stringify([status, why])).not.toMatch(/c0de|s3cret/);
  });

  it("has other events if the spec names them", async () => {
    await env.harness.webhook({ ...spec, events: ["DEPLOYMENT_STARTED"] }).run(NEW);
    expect(env.harness.writes()).toMatchObject([["createWebhook", { events: ["DEPLOYMENT_STARTED"] }]]);
  });

  it("is not registered while the operator has no URL, and says what to set", async () => {
    const hook = env.harness.webhook(spec);
    hook.around.receiver = CLOSED;
    expect(await hook.run()).toMatchObject({ ops: [], is: "stalled", why: CLOSED.url });
    hook.around.receiver = RECEIVER;
    expect(await hook.run(NEW)).toMatchObject({ ops: ["createWebhook"], is: "settled" });
  });

  it("stays as it is while the operator has no URL any more", async () => {
    const { hook } = env;
    hook.around.receiver = CLOSED;
    const closed = await hook.run();
    expect(closed).toMatchObject({ ops: [], is: "stalled", why: CLOSED.url, report: { conditions: [] } });
    expect(closed.status["target"]).toBe("https://hooks.example.com/…");
    hook.around.receiver = RECEIVER;
    expect(await hook.run()).toMatchObject({ ops: [], is: "settled", report: { conditions: [] } });
  });

  it.each([
    ["the receiver moves", MOVED, "key-1"],
    ["the key of the installation is another", OTHER_KEY, "key-2"],
  ])("follows where %s, if it can, whatever the drift policy", async (_name, receiver, key) => {
    const { harness, hook } = env;
    Object.assign(hook.around, { receiver, key });
    const report = { corrects: "Nothing", blockedOperations: new Set<string>() } as const;
    const unsent = { reason: "UpdateNotSupported", message: expect.stringContaining("spec.receiver") };
    const expected = { is: "settled", report: { conditions: isFull ? [] : [unsent] } };
    expect(await hook.run(report)).toMatchObject({ ...expected, ops: isFull ? ["updateWebhook"] : [] });
    const shown = harness.simulator.world().webhooks.get(hook.id() ?? "");
    expect(shown?.targetUrl).toBe(isFull ? receiver.url : url);
    expect(shown?.settings["target_secret"]).toBe(isFull ? receiver.secret : undefined);
    expect(await hook.run(report)).toMatchObject({ ...expected, ops: [] });
    Object.assign(hook.around, { receiver: RECEIVER, key: "key-1" });
    const back = await hook.run(report);
    expect(back).toMatchObject({ ops: isFull ? ["updateWebhook"] : [], is: "settled", report: { conditions: [] } });
  });

  it("[E12] cannot be traced, and gives advice without the secret path", async () => {
    const intent = { op: "createWebhook", creates: true } as OpenIntent;
    const traced = await webhook.trace(intent, env.hook.context(), env.harness.api);
    expect(traced).toMatchObject({ is: "unknowable", why: { reason: "CreateResultUnknown" } });
    expect(JSON.stringify(traced)).toContain("https://hooks.example.com/…");
    expect(JSON.stringify(traced)).not.toContain("c0de");
  });
});

describe("a webhook to the operator that the platform shows", () => {
  const env = receiverEnv("Full");

  it.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ["target", { targetUrl: "https://other.example.com/x" }, "spec.receiver", "https://other.example.com/…"],
    ["path", { targetUrl: `${url}x` }, "spec.receiver", "another user, path or query"],
    ["events", { events: ["DEPLOYMENT_STARTED"] }, "spec.events", "DEPLOYMENT_STARTED"],
    ["state", { enabled: false }, "spec.enabled", "false"],
  ])("has a changed %s reported and corrected, with the secret in the request", async (_name, change, member, says) => {
    const { harness, hook } = env;
    harness.edit(hook.id(), change);
    const { report, status } = await hook.run({ blockedOperations: new Set(["updateWebhook"]) });
    const one = { path: member, desired: expect.any(String), observed: expect.stringContaining(says) };
    expect(report.drift).toEqual([one]);
    expect(JSON.stringify(status)).not.toMatch(/c0de|s3cret/);
    expect(await hook.run()).toMatchObject({ ops: ["updateWebhook"], is: "settled", report: { drift: [] } });
    const body = { target_url: url, events: EVENTS.Full, enabled: true, target_secret: "***" };
    expect(harness.writes()).toMatchObject([["updateWebhook", body]]);
  });

  it("gets the secret and the names of the events once the surface is known to be Full", async () => {
    const { harness, hook } = env;
    const early = harness.webhook(spec);
    await early.run(NEW);
    harness.edit(early.id(), { events: EVENTS.Documented });
    early.lose({ ...early.status(), hasSecret: false });
    harness.writes();
    expect(await early.run()).toMatchObject({ ops: ["updateWebhook"], status: { hasSecret: true } });
    expect(harness.writes()).toMatchObject([["updateWebhook", { events: EVENTS.Full, target_secret: "***" }]]);
    expect(await hook.run()).toMatchObject({ ops: [] });
  });

  it("is adopted by its id, and then gets URL and secret", async () => {
    const { harness } = env;
    const { id } = await harness.api.webhooks.create(
      { targetUrl: TARGET, events: ["DEPLOYMENT_STARTED"], enabled: true },
      { extended: true },
    );
    const adopter = harness.webhook({ ...spec, externalId: id });
    expect(await adopter.run()).toMatchObject({ ops: ["adopt", "updateWebhook"], status: { hasSecret: true } });
    const shown = harness.simulator.world().webhooks.get(id);
    expect(shown).toMatchObject({ targetUrl: url, settings: { target_secret: secret } });
  });

  it("keeps no secret for another target", async () => {
    const { hook } = env;
    const changed = await hook.run({ spec: { targetUrl: TARGET, events: EVENTS.Full } });
    expect(changed.ops).toEqual(["updateWebhook"]);
    expect(changed.status).not.toHaveProperty("hasSecret");
    expect(JSON.stringify(env.harness.writes())).not.toContain('"target_secret":');
    expect(await hook.run({ spec })).toMatchObject({ ops: ["updateWebhook"], status: { hasSecret: true } });
  });

  it("is deleted by its path, also where the operator has another URL or none", async () => {
    const { harness, hook } = env;
    hook.around.receiver = CLOSED;
    harness.edit(hook.id(), { targetUrl: `${url}x` });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: [], end: "stalled NameConflict" });
    harness.edit(hook.id(), { targetUrl: MOVED.url });
    expect(await hook.run({ goal: "absent" })).toMatchObject({ ops: ["deleteWebhook"], is: "settled" });
  });

  it("is reported when it is gone, and never registered again", async () => {
    const { harness, hook } = env;
    harness.remove(hook.id());
    expect(await hook.run({ onMissing: "Recreate" })).toMatchObject({
      ops: [],
      end: "stalled ExternalResourceDeleted",
    });
  });
});
