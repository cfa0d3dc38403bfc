/** A platform of the surface Full that has no project yet, so that the connection cannot tell its surface. */
import { beforeAll, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project, resource } from "../support/kube/manifests.ts";

const env = createEnv({ surface: "full" });

beforeAll(() => {
  env.platform.world().projects.clear();
});

it("a webhook that the platform refuses in the documented form says so, and is sent again once the surface is known", async () => {
  const webhook = { targetUrl: "https://hooks.example.com/x", events: ["DEPLOYMENT_STARTED"] };
  await env.apply(...defaults(env, {}), resource("PlatformWebhook", "chat", webhook));
  const refused = await env.waitFor("PlatformWebhook", "chat", { status: "False", reason: "InvalidSpec" });
  expect(condition(refused, "Ready")?.message).toMatch(/if that turns out to be Full, the operator sends the request/);
  await env.apply(project("shop"));
  await env.annotate("PlatformConnection", "default", { "platform-operator.io/reconcile-requested-at": "1" });
  await env.waitFor("PlatformWebhook", "chat", { status: "True", reason: "Available" });
  expect(env.platform.world().webhooks.size).toBe(1);
}, 120_000);
