/** The operator's receiver is registered once, whatever happens meanwhile. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { Webhook } from "../../simulator/model/world.ts";
import { RESOLVE } from "../../src/api/names.ts";
import { condition } from "../support/env/cluster.ts";
import { createStage } from "../support/env/env.ts";
import { defaults, project, secret } from "../support/kube/manifests.ts";

const TOKEN = "a-long-random-text-of-a-receiver";
const webhook = { receiverUrl: "http://127.0.0.1:9/deliveries", secretRef: { name: "receiver" } };
const registered = (status: "True" | "False", reason: string) => ({ type: "WebhookRegistered", status, reason });

describe.each(["documented", "full"] as const)("the registration of the receiver, %s surface", (surface) => {
  // Nobody else works here: a killed operator's lease is not waited for.
  const stage = createStage({ surface, args: ["--leader-elect=false"] });
  const isFull = surface === "full";
  const hooks = (): readonly Webhook[] => [...stage.platform.world().webhooks.values()];
  const said = async (status: "True" | "False", reason: string): Promise<string> => {
    const connection = await stage.waitFor("PlatformConnection", "default", registered(status, reason));
    expect(condition(connection, "Ready"), "trouble of the errand is none of the connection").toMatchObject({
      status: "True",
    });
    return condition(connection, "WebhookRegistered")?.message ?? "";
  };

  beforeAll(async () => {
    await stage.apply(...defaults(stage, { webhook }));
  });

  it("waits for its Secret, and holds nothing up", async () => {
    expect(await said("False", "DependencyNotReady")).toContain('Secret "receiver"');
    await stage.apply(project("shop"));
    await stage.waitFor("PlatformProject", "shop", { status: "True" });
    await stage.apply(secret("receiver", { token: "too-short" }));
    expect(await said("False", "DependencyNotReady")).toContain("at least 16 characters");
    expect(hooks()).toEqual([]);
  });

  it("is sent once, also across a SIGKILL before anybody has the answer, and a person decides", async () => {
    const record = await stage.record();
    stage.platform.sim.faults.add({
      name: "killed",
      match: { operation: "createWebhook" },
      effect: "applied",
      answer: { is: "silence" },
    });
    await stage.apply(secret("receiver", { token: TOKEN }));
    await vi.waitFor(() => expect(hooks()).toHaveLength(1), { timeout: 20_000 });
    await stage.kill();
    await stage.start();
    const message = await said("False", "CreateResultUnknown");
    expect(message).toContain("http://127.0.0.1:9/…");
    expect(message).toContain(`${RESOLVE}=recreate`);
    await stage.settled();
    await stage.quiet(1);
    expect(record.calls("createWebhook")).toHaveLength(1);
    expect(hooks()).toHaveLength(1);
    stage.platform.sim.faults.clear();
  });

  it("is sent again on that person's word, once", async () => {
    const record = await stage.record();
    for (const { id } of hooks()) stage.platform.world().webhooks.delete(id);
    await stage.annotate("PlatformConnection", "default", { [RESOLVE]: "recreate" });
    await said("True", "Available");
    await stage.settled();
    expect(record.calls("createWebhook")).toHaveLength(1);
    const connection = await stage.get("PlatformConnection", "default");
    expect(connection.metadata.annotations?.[RESOLVE]).toBeUndefined();
    expect(connection.status).toMatchObject({ webhook: { id: hooks()[0]?.id } });
    expect(hooks()).toHaveLength(1);
  });

  it("is not sent again by a restart, nor after the status was lost", async () => {
    await stage.settled();
    const record = await stage.record();
    await stage.stop();
    await stage.patch("PlatformConnection", "default", { status: null }, "status");
    await stage.start();
    await said("True", "Available");
    await stage.settled();
    expect(record.calls("createWebhook")).toEqual([]);
    const { status } = await stage.get("PlatformConnection", "default");
    expect(status).toMatchObject({ webhook: { id: hooks()[0]?.id } });
  });

  it("follows another token where it can be changed, and says so where it cannot", async () => {
    const record = await stage.record();
    const before = hooks()[0]?.targetUrl;
    await stage.apply(secret("receiver", { token: `${TOKEN}-rotated` }));
    const [status, reason, changes] = isFull
      ? (["True", "Available", ["updateWebhook"]] as const)
      : (["False", "UpdateNotSupported", []] as const);
    await vi.waitFor(() => expect(record.changes()).toEqual(changes), { timeout: 10_000 });
    const message = await said(status, reason);
    expect(message.includes(`${RESOLVE}=recreate`)).toBe(!isFull);
    expect(hooks().map(({ targetUrl }) => targetUrl === before)).toEqual([!isFull]);
    await stage.apply(secret("receiver", { token: TOKEN }));
    await vi.waitFor(() => expect(hooks()[0]?.targetUrl).toBe(before), { timeout: 10_000 });
    await said("True", "Available");
    expect(hooks()).toHaveLength(1);
  });

  it("tells what the platform shows of it, and creates none in its place", async () => {
    await stage.settled();
    const record = await stage.record();
    const [mine] = hooks();
    if (mine === undefined) throw new Error("there is no registration");
    mine.enabled = false;
    const token = { "platform-operator.io/reconcile-requested-at": "disabled" };
    await stage.annotate("PlatformConnection", "default", token);
    const handled = (wanted: string) => (object: { readonly status?: unknown }) =>
      JSON.stringify(object.status).includes(`"lastHandledReconcileAt":"${wanted}"`);
    await stage.waitFor("PlatformConnection", "default", handled("disabled"));
    expect(mine.enabled).toBe(isFull);
    expect(record.changes()).toEqual(isFull ? ["updateWebhook"] : []);
    stage.platform.world().webhooks.delete(mine.id);
    await stage.annotate("PlatformConnection", "default", {
      "platform-operator.io/reconcile-requested-at": "deleted",
    });
    await stage.waitFor("PlatformConnection", "default", handled("deleted"));
    await said(isFull ? "False" : "True", isFull ? "ExternalResourceDeleted" : "Available");
    expect(record.calls("createWebhook")).toEqual([]);
  });

  it("is left alone once nobody asks for it, and is not doubled when somebody does again", async () => {
    const record = await stage.record();
    await stage.patch("PlatformConnection", "default", { spec: { webhook: null } });
    await stage.waitFor(
      "PlatformConnection",
      "default",
      (object) => condition(object, "WebhookRegistered") === undefined && condition(object, "Ready")?.status === "True",
    );
    await stage.patch("PlatformConnection", "default", { spec: { webhook } });
    await stage.waitFor(
      "PlatformConnection",
      "default",
      (object) => condition(object, "WebhookRegistered") !== undefined,
    );
    await stage.settled();
    expect(record.calls("createWebhook")).toEqual([]);
  });
});
