/**
 * A resource cannot make the operator read a Secret of another namespace.
 * test/integration/connections.test.ts covers shared tokens.
 */
import { describe, expect, it } from "vitest";

import { GROUP } from "../../src/api/names.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import {
  application,
  connection,
  defaults,
  environment,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

describe("a Secret of another namespace", () => {
  const env = createEnv({ surface: "full", more: ["thief"] });

  /** Adds each annotation that could name another namespace. */
  const stealing = (manifest: Manifest): Manifest => {
    const names = ["namespace", "secret-namespace", "token-secret-ref", "external-id", "resolve", "intent"];
    const annotations = Object.fromEntries(names.map((name) => [`${GROUP}/${name}`, `${env.namespace}/loot`]));
    return { ...manifest, metadata: { ...manifest.metadata, annotations } };
  };

  it("[E9] is never read: the API server drops or refuses fields that would name its namespace", async ({ task }) => {
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
    // The Secret of that name in the namespace of the thief is the one of its connection "default".
    await thief.waitFor("PlatformApplication", "app", { reason: "SecretNotAllowed" });
    await thief.waitFor("PlatformVariableSet", "set", { reason: "SecretNotAllowed" });
    for (const name of [`${env.namespace}/loot`, "../loot", `../../${env.namespace}/secrets/loot`]) {
      const bad = connection(env, "bad", { auth: { tokenSecretRef: { name } } });
      await expect(thief.apply(bad), name).rejects.toThrow(/tokenSecretRef/);
    }
    const reads = (await record.requests()).filter(({ objectRef }) => objectRef?.resource === "secrets");
    const lootReads = reads.filter(({ objectRef }) => objectRef?.name === "loot");
    expect(lootReads.length, "reads in the thief's own namespace").toBeGreaterThan(0);
    expect(new Set(lootReads.map(({ objectRef }) => objectRef?.namespace))).toEqual(new Set([thief.namespace]));
    // The leader fills the Secret with the key of the installation once.
    const others = reads.filter(({ objectRef }) => objectRef?.name !== "platform-operator-key");
    expect(new Set(others.map(({ verb }) => verb))).toEqual(new Set(["get"]));
    figure(task, "0 GETs of a Secret outside the namespace of its user", reads.length);
  });
});
