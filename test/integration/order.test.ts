import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, expectSettled } from "../support/env/settling.ts";
import {
  application,
  connection,
  defaults,
  deploying,
  environment,
  NEXT_COMMIT,
  project,
  secret,
  tree,
} from "../support/kube/manifests.ts";

describe("resources in any order", () => {
  const env = createEnv({ surface: "full", windows: { missingMs: 1_500 } });

  it("the application first, the connection last: each says what it waits for, and all become Ready", async () => {
    const name = "backwards";
    const [parent, place, app] = tree(env, name);
    const [token, access] = defaults(env);
    const record = await env.record();
    await env.apply(app!);
    const first = await env.waitFor("PlatformApplication", name, { reason: "ParentNotFound" });
    expect(condition(first, "Ready")?.message).toBe(
      `PlatformEnvironment "${name}" does not exist in namespace "${env.namespace}". Create it or fix spec.environmentRef.name.`,
    );
    await env.apply(place!);
    await env.waitFor("PlatformEnvironment", name, { reason: "ParentNotFound" });
    await env.waitFor("PlatformApplication", name, { reason: "ConnectionNotReady" });
    await env.apply(parent!);
    const lone = await env.waitFor("PlatformProject", name, { reason: "ConnectionNotReady" });
    expect(condition(lone, "Ready")?.message).toContain(`PlatformConnection "default" in namespace "${env.namespace}"`);
    await env.apply(access!);
    await env.waitFor("PlatformConnection", "default", { reason: "CredentialsMissing" });
    expect(record.calls()).toEqual([]);
    await env.apply(token!);
    await expectSettled(env, name);
    expect(record.changes()).toEqual(["createProject", "createEnvironment", "createApplication", "deployApplication"]);
  });

  it("[E16] resources that the API server takes and the operator rejects say so each, and their neighbours go on", async () => {
    await env.apply(
      secret("metadata", { token: "not-a-real-token" }),
      connection(env, "metadata", { baseUrl: "http://169.254.169.254" }),
      project("metadata", { connectionRef: { name: "metadata" } }),
      project("nowhere", { externalId: "00000000-0000-4000-8000-00000000dead" }),
      environment(env, "orphan", "constructor"),
      application("polluted", "proto", { variables: [{ name: "__proto__", value: "x".repeat(32_000) }] }),
      ...tree(env, "neighbour"),
    );
    await expectSettled(env, "neighbour");
    const refused = await env.waitFor("PlatformConnection", "metadata", { reason: "InvalidSpec" });
    expect(condition(refused, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(refused, "Ready")?.message).toContain("the operator's list of allowed platform hosts");
    await env.waitFor("PlatformProject", "metadata", { reason: "ConnectionNotReady" });
    await env.waitFor("PlatformProject", "nowhere", { reason: "InvalidSpec" });
    await env.waitFor("PlatformEnvironment", "orphan", { reason: "ParentNotFound" });
    await env.waitFor("PlatformApplication", "polluted", { reason: "ParentNotFound" });
    await calm(env);
    const record = await env.record();
    await env.patch("PlatformApplication", "neighbour", deploying(NEXT_COMMIT));
    await env.waitFor("PlatformApplication", "neighbour", { status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
