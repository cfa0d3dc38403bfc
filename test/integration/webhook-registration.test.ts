/** The operator's receiver is registered once, whatever happens meanwhile. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { Webhook } from "../../simulator/model/world.ts";
import { RESOLVE } from "../../src/api/names.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project, secret } from "../support/kube/manifests.ts";

const TOKEN = "a-long-random-text-of-a-receiver";
const webhook = { receiverUrl: "http://127.0.0.1:9/deliveries", secretRef: { name: "receiver" } };
const registered = (status: "True" | "False", reason: string) => ({ type: "WebhookRegistered", status, reason });

describe.each(effort.few(["full", "documented"] as const))(
  "the registration of the receiver, %s surface",
  (surface) => {
    // Nobody else works here: a killed operator's lease is not waited for.
    const env = createEnv({ surface, args: ["--leader-elect=false"] });
    const hooks = (): readonly Webhook[] => [...env.platform.world().webhooks.values()];
    const said = async (status: "True" | "False", reason: string): Promise<string> => {
      const connection = await env.waitFor("PlatformConnection", "default", registered(status, reason));
      expect(condition(connection, "Ready"), "trouble of the errand is none of the connection").toMatchObject({
        status: "True",
      });
      return condition(connection, "WebhookRegistered")?.message ?? "";
    };

    beforeAll(async () => {
      await env.apply(...defaults(env, { webhook }));
    });

    it("waits for its Secret, and holds nothing up", async () => {
      expect(await said("False", "DependencyNotReady")).toContain('Secret "receiver"');
      await env.ready(project("shop"));
      await env.apply(secret("receiver", { token: "too-short" }));
      expect(await said("False", "DependencyNotReady")).toContain("at least 16 characters");
      expect(hooks()).toEqual([]);
    });

    it("is sent once, also across a SIGKILL before anybody has the answer, and a person decides", async () => {
      const record = await env.record();
      env.platform.sim.faults.add({
        name: "killed",
        match: { operation: "createWebhook" },
        effect: "applied",
        answer: { is: "silence" },
      });
      await env.apply(secret("receiver", { token: TOKEN }));
      await vi.waitFor(() => expect(hooks()).toHaveLength(1), { timeout: 20_000 });
      await env.kill();
      await env.start();
      const message = await said("False", "CreateResultUnknown");
      expect(message).toContain("http://127.0.0.1:9/…");
      expect(message).toContain(`${RESOLVE}=recreate`);
      await env.settled();
      await env.quiet(1);
      expect(record.calls("createWebhook")).toHaveLength(1);
      expect(hooks()).toHaveLength(1);
      env.platform.sim.faults.clear();
    });

    it("is sent again on that person's word, once", async () => {
      const record = await env.record();
      for (const { id } of hooks()) env.platform.world().webhooks.delete(id);
      await env.annotate("PlatformConnection", "default", { [RESOLVE]: "recreate" });
      await said("True", "Available");
      await env.settled();
      expect(record.calls("createWebhook")).toHaveLength(1);
      const connection = await env.get("PlatformConnection", "default");
      expect(connection.metadata.annotations?.[RESOLVE]).toBeUndefined();
      expect(connection.status).toMatchObject({ webhook: { id: hooks()[0]?.id } });
      expect(hooks()).toHaveLength(1);
    });

    it("is not sent again by a restart, nor after the status was lost", async () => {
      await env.settled();
      const record = await env.record();
      await env.stop();
      await env.patch("PlatformConnection", "default", { status: null }, "status");
      await env.start();
      await said("True", "Available");
      await env.settled();
      expect(record.calls("createWebhook")).toEqual([]);
      const { status } = await env.get("PlatformConnection", "default");
      expect(status).toMatchObject({ webhook: { id: hooks()[0]?.id } });
    });
  },
);
