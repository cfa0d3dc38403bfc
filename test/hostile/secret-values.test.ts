/**
 * Nobody reads by a resource what the cluster's roles keep from them: tokens of connections, and credentials of the
 * cluster and its tools. Every value of a spec goes to the platform, where it can be read.
 */
import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import {
  application,
  blueprint,
  connection,
  defaults,
  environment,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";

const LOOT = "a-value-that-nobody-may-read";
const WRITER = "writer-of-applications";
const plainly = (name: string, key: string): JsonObject => ({
  name: "LOOT",
  secret: false,
  valueFrom: { secretKeyRef: { name, key } },
});

/** A Secret as Kubernetes, kubeadm or Helm stores it. */
const ofType = (name: string, type: string, annotations: Readonly<Record<string, string>> = {}): Manifest => {
  const { metadata, ...rest } = secret(name, { token: LOOT });
  return { ...rest, type, metadata: { ...metadata, annotations } };
};

describe("the operator, asked for a value of a Secret,", () => {
  const env = createEnv({ surface: "full" });

  /** All objects of the platform, with their variables, as one text. */
  const published = (): string =>
    JSON.stringify(env.platform.world(), (_key, value: unknown) => {
      if (value instanceof Map) return [...value];
      return typeof value === "bigint" ? String(value) : value;
    });

  beforeAll(async () => {
    const labelled = secret("labelled", { token: "an-allowed-value" });
    await env.apply(
      ...defaults(env),
      project("shop"),
      environment(env, "shop", "shop"),
      ofType("account", "kubernetes.io/service-account-token", { "kubernetes.io/service-account.name": "default" }),
      ofType("release", "helm.sh/release.v1"),
      ofType("bootstrap", "bootstrap.kubernetes.io/token"),
      secret("proxy", { username: "somebody", password: LOOT, token: LOOT }),
      connection(env, "other", { proxy: { url: "http://127.0.0.1:9", secretRef: { name: "proxy" } } }),
      secret("other", { token: env.platform.tokens.admin }),
      secret("unlabelled", { token: LOOT }),
      { ...labelled, metadata: { ...labelled.metadata, labels: { "for-the-platform": "true" } } },
      secret("narrow", { token: env.platform.tokens.admin }),
      connection(env, "narrow", {
        allowedSecrets: { matchLabels: { "for-the-platform": "true" } },
      }),
      project("narrow", { connectionRef: { name: "narrow" } }),
      environment(env, "narrow", "narrow"),
    );
    const of = ["--resource=platformapplications.platform-operator.io", "--verb=create,get,patch"];
    await env.kubectl(["create", "role", WRITER, ...of]);
    await env.kubectl(["create", "rolebinding", WRITER, `--role=${WRITER}`, `--user=${WRITER}`]);
  });

  it.each([
    ["the token of the connection", "default", /is used by PlatformConnection "default"/],
    ["the token of another connection", "other", /is used by PlatformConnection "other"/],
    ["the credentials of a connection's proxy", "proxy", /is used by PlatformConnection "other"/],
    ["the token of a ServiceAccount", "account", /has the type kubernetes\.io\/service-account-token/],
    ["a Helm release", "release", /has the type helm\.sh\/release\.v1/],
    ["a bootstrap token", "bootstrap", /has the type bootstrap\.kubernetes\.io\/token/],
  ])("[E9] refuses %s to a person who may only write applications", async (_what, name, says) => {
    const variables = [plainly(name, "token")];
    const asked = application(`app-${name}`, "shop", { variables });
    const as = `--as=${WRITER}`;
    const secretOf = env.kubectl(["get", "secret", name, as]);
    await expect(secretOf, "the writer cannot read the Secret").rejects.toThrow(/forbidden/i);
    await env.kubectl(["create", "-f", "-", as], { input: JSON.stringify(asked) });
    const { status } = await env.stalled("PlatformApplication", `app-${name}`, "SecretNotAllowed", says);
    expect(JSON.stringify(status)).toContain(`Secret \\"${name}\\"`);
    expect(published()).not.toContain(LOOT);
    expect(published()).not.toContain(`"${env.platform.tokens.admin}"`);
  });

  const sources: readonly (readonly [string, (name: string) => Manifest])[] = [
    [
      "PlatformVariableSet by a key",
      (name) =>
        resource("PlatformVariableSet", `set-${name}`, {
          targets: [{ applicationRef: { name: "target" } }],
          variables: [plainly(name, "token")],
        }),
    ],
    [
      "PlatformVariableSet of a whole Secret",
      (name) =>
        resource("PlatformVariableSet", `all-${name}`, {
          targets: [{ applicationRef: { name: "target" } }],
          variablesFrom: [{ secretRef: { name }, secret: false }],
        }),
    ],
    ["PlatformBlueprint", (name) => blueprint(`blueprint-${name}`, "shop", { variables: [plainly(name, "token")] })],
    [
      "PlatformBinding by its configuration",
      (name) =>
        resource("PlatformBinding", `config-${name}`, {
          clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
          template: { key: "kubernetes-essentials", version: "1.2.0" },
          managedConfig: { ingress: { domain: { valueFrom: { secretKeyRef: { name, key: "token" } } } } },
        }),
    ],
    [
      "PlatformBinding by its inputs",
      (name) =>
        resource("PlatformBinding", `input-${name}`, {
          clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
          template: { key: "kubernetes-essentials", version: "1.2.0" },
          customerProvidedInputs: { ingress: { domain: { valueFrom: { secretKeyRef: { name, key: "token" } } } } },
        }),
    ],
  ];

  it.each(sources)("[E9] refuses tokens and credentials of the cluster to a %s", async (_what, manifest) => {
    await env.apply(application("target", "shop"));
    for (const name of ["default", "account"]) {
      const asked = manifest(name);
      await env.apply(asked);
      await env.stalled(asked.kind, asked.metadata.name, "SecretNotAllowed", `Secret "${name}"`);
    }
    expect(published()).not.toContain(LOOT);
    expect(published()).not.toContain(`"${env.platform.tokens.admin}"`);
  });

  it("[E9] reads only Secrets with the labels that the connection selects", async () => {
    const asked = application("chosen", "narrow", { variables: [plainly("unlabelled", "token")] });
    await env.apply(asked);
    const says = 'does not have the labels that spec.allowedSecrets of PlatformConnection "narrow" selects';
    await env.stalled("PlatformApplication", "chosen", "SecretNotAllowed", says);
    expect(published()).not.toContain(LOOT);
    await env.ready(application("chosen", "narrow", { variables: [plainly("labelled", "token")] }));
    expect(published()).toContain("an-allowed-value");
  });

  it("[E9] refuses a Secret once the connection does not select it any more, and reads it again once it does", async () => {
    const asked = application("later", "narrow", { variables: [plainly("labelled", "token")] });
    await env.ready(asked);
    const label = async (value: string): Promise<void> => {
      await env.patch("PlatformConnection", "narrow", {
        spec: { allowedSecrets: { matchLabels: { "for-the-platform": value } } },
      });
    };
    const record = await env.record();
    await label("never");
    await env.stalled("PlatformApplication", "later", "SecretNotAllowed");
    await label("true");
    await env.waitFor("PlatformApplication", "later", { status: "True" });
    expect(record.changes(), "neither is a change of the platform").toEqual([]);
  });

  it("[E9] refuses to send a credential of the cluster as the token of a connection", async () => {
    await env.apply(connection(env, "thief", { auth: { tokenSecretRef: { name: "account" } } }));
    const says = "has the type kubernetes.io/service-account-token";
    await env.stalled("PlatformConnection", "thief", "SecretNotAllowed", says);
    expect(published()).not.toContain(LOOT);
  });
});
