/** A resource cannot make the operator read a Secret, or use a token, of another namespace (docs/reliability.md E9). */
import { afterAll, describe, expect, it } from "vitest";

import { GROUP } from "../../src/api/names.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import {
  application,
  connection,
  defaults,
  environment,
  project,
  resource,
  secret,
  shared,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

describe("Secrets of other namespaces", () => {
  const env = createEnv({ surface: "full", more: ["thief"] });
  const SHARED = { kind: "ClusterPlatformConnection", name: env.namespace };

  /** Adds each annotation that could name another namespace. */
  const stealing = (manifest: Manifest): Manifest => {
    const names = ["namespace", "secret-namespace", "token-secret-ref", "external-id", "resolve", "intent"];
    const annotations = Object.fromEntries(names.map((name) => [`${GROUP}/${name}`, `${env.namespace}/loot`]));
    return { ...manifest, metadata: { ...manifest.metadata, annotations } };
  };

  const readsIn = async (record: Awaited<ReturnType<typeof env.record>>) =>
    (await record.requests()).filter(({ objectRef }) => objectRef?.resource === "secrets");

  afterAll(async () => {
    await env.kubectl(["delete", "clusterplatformconnection", env.namespace, "--ignore-not-found"]);
  });

  it("[E9] are never read: fields that would name their namespace are dropped or refused", async ({ task }) => {
    const thief = env.at("thief");
    await env.apply(...defaults(env), secret("loot", { token: env.platform.tokens.admin }));
    const record = await env.record();
    const from = { name: "loot", namespace: env.namespace };
    const elsewhere = { ...from, key: "token" };
    const variables = [{ name: "LOOT", valueFrom: { secretKeyRef: elsewhere } }];
    const access = connection(env, "default", { auth: { tokenSecretRef: elsewhere } });
    await thief.apply(
      stealing(access),
      secret("own", { token: env.platform.tokens.admin }),
      connection(env, "own", { auth: { tokenSecretRef: { name: "own" } } }),
      project("own", { connectionRef: { name: "own" } }),
      environment(env, "own", "own"),
      stealing(application("app", "own", { variables })),
      application("target", "own"),
      resource("PlatformVariableSet", "set", {
        targets: [{ applicationRef: { name: "target" } }],
        variablesFrom: [{ secretRef: from }],
      }),
      project("in-theirs", { connectionRef: { name: "default", namespace: env.namespace } }),
    );
    const says = `in namespace "${thief.namespace}" does not exist`;
    await thief.stalled("PlatformConnection", "default", "CredentialsMissing", says);
    await thief.waitFor("PlatformProject", "in-theirs", { reason: "ConnectionNotReady" });
    await thief.waitFor("PlatformApplication", "app", { status: "False" });
    await thief.annotate("PlatformApplication", "app", { [`${GROUP}/intent`]: null });
    await thief.waitFor("PlatformApplication", "app", { reason: "DependencyNotReady" });
    await thief.waitFor("PlatformVariableSet", "set", { reason: "DependencyNotReady" });
    for (const name of [`${env.namespace}/loot`, "../loot", `../../${env.namespace}/secrets/loot`]) {
      const bad = connection(env, "bad", { auth: { tokenSecretRef: { name } } });
      await expect(thief.apply(bad), name).rejects.toThrow(/tokenSecretRef/);
    }
    const reads = await readsIn(record);
    const lootReads = reads.filter(({ objectRef }) => objectRef?.name === "loot");
    expect(lootReads.length, "reads in the thief's own namespace").toBeGreaterThan(0);
    expect(new Set(lootReads.map(({ objectRef }) => objectRef?.namespace))).toEqual(new Set([thief.namespace]));
    expect(new Set(reads.map(({ verb }) => verb))).toEqual(new Set(["get"]));
    figure(task, "0 GETs of a Secret outside the namespace of its user", reads.length);
  });

  it("[E9] a shared token serves allowed namespaces only; revocation stops writes at once and deletes nothing", async () => {
    const thief = env.at("thief");
    // Its Secret has the name that the thief refers to.
    await env.apply(...shared(env, "loot", { names: [env.namespace] }));
    const lifecycle = { deletionPolicy: "Delete" };
    await env.apply(project("guest", { connectionRef: SHARED, lifecycle }));
    await thief.apply(project("guest", { connectionRef: SHARED, lifecycle }));
    const guest = await env.waitFor("PlatformProject", "guest", { status: "True" });
    const denied = await thief.waitFor("PlatformProject", "guest", { reason: "ConnectionNotReady" });
    expect(condition(denied, "Ready")?.message).toContain("does not allow namespace");

    await env.apply(...shared(env, "loot", { names: ["nobody"] }));
    const record = await env.record();
    await env.patch("PlatformProject", "guest", { spec: { description: "after the revocation" } });
    await env.waitFor("PlatformProject", "guest", { reason: "ConnectionNotReady" });
    await env.delete(guest);
    expect(record.changes()).toEqual([]);
    expect(env.platform.world().projects.has(idOf(guest)), "the project on the platform").toBe(true);
    const allowed = new Set([env.namespace, thief.namespace, env.operatorNamespace]);
    const namespaces = (await readsIn(record)).map(({ objectRef }) => objectRef?.namespace ?? "");
    expect(namespaces.filter((name) => !allowed.has(name))).toEqual([]);
  });
});
