/** What is hostile and gets past every schema stalls itself, and nothing of its kind (docs/reliability.md E16). */
import { beforeAll, describe, expect, it } from "vitest";

import { GROUP } from "../../src/api/names.ts";
import { RESOURCES } from "../../src/kinds/crds.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import {
  application,
  blueprint,
  connection,
  database,
  defaults,
  environment,
  operation,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

/** The bar's own, for each good one from its creation on. */
const DEADLINE_S = 5;
const NOWHERE = "00000000-0000-4000-8000-00000000dead";
/** What annotations let through: anything. */
const ANNOTATIONS = {
  [`${GROUP}/intent`]: `{"v":1,"mark":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  [`${GROUP}/external-id`]: "../../organization",
  [`${GROUP}/poll-interval`]: "1e400h",
  [`${GROUP}/reconcile-requested-at`]: "\u202E".repeat(5_000),
  [`${GROUP}/approved-plan`]: "constructor",
  [`${GROUP}/installation`]: "",
};

describe("a neighbour of what is hostile", () => {
  const env = createEnv({ surface: "full" });
  const [bound, stopped] = [
    (): string => env.platform.clusterIds[0] ?? "",
    (): string => env.platform.clusterIds[1] ?? "",
  ];

  /** Kind by kind a good one, none before what it refers to; it is asked for after the hostile one is there. */
  const good = (): readonly Manifest[] => [
    project("good"),
    environment(env, "good", "good"),
    application("good", "good"),
    database("good", "good"),
    blueprint("good", "good"),
    resource("PlatformVariableSet", "good", {
      targets: [{ applicationRef: { name: "good" } }],
      variables: [{ name: "MODE", value: "fast" }],
    }),
    resource("PlatformCluster", "good", { externalId: stopped() }),
    resource("PlatformBinding", "good", {
      clusterRef: { externalId: bound() },
      template: { key: "kubernetes-essentials", version: "1.2.0" },
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
    }),
    resource("PlatformWebhook", "good", { targetUrl: "https://hooks.example.com/", events: ["DEPLOYMENT_FAILED"] }),
    resource("PlatformCatalog", "good", { include: ["Templates"] }),
    operation("good", { type: "SendInvoices" }),
    connection(env, "good", { auth: { tokenSecretRef: { name: "default" } } }),
  ];
  const hostile = (): readonly Manifest[] => [
    project("bad", { externalId: NOWHERE }),
    environment(env, "bad", "constructor"),
    application("bad", "good", { variables: [{ name: "__proto__", value: "x".repeat(32_000) }] }),
    database("bad", "good", { type: "CONSTRUCTOR", version: "0.0.0" }),
    blueprint("bad", "good", { tag: "constructor/9.9.9" }),
    resource("PlatformVariableSet", "bad", {
      targets: [{ applicationRef: { externalId: NOWHERE } }, { applicationRef: { name: "constructor" } }],
      variables: [{ name: "__proto__", value: "\u202E\u0007" }],
    }),
    resource("PlatformCluster", "bad", { externalId: NOWHERE, runState: "Stopped" }),
    resource("PlatformBinding", "bad", {
      clusterRef: { externalId: NOWHERE },
      template: { key: "constructor", version: "0" },
      managedConfig: { constructor: { prototype: { value: "polluted" } } },
    }),
    resource("PlatformWebhook", "bad", {
      targetUrl: "https://[::1]/%00",
      events: ["CONSTRUCTOR"],
      externalId: NOWHERE,
    }),
    resource("PlatformCatalog", "bad", { include: ["Templates"], connectionRef: { name: "constructor" } }),
    operation("bad", { type: "StopDatabase", databaseRef: { externalId: NOWHERE } }),
    connection(env, "bad", { baseUrl: "http://169.254.169.254" }),
  ];

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: "Full" }), secret("bad", { token: "not-a-real-token" }));
    await env.waitFor("PlatformConnection", "default", { status: "True" });
  });

  it("[E16] of any kind comes to its end", async ({ task }) => {
    const bad = hostile();
    const kinds = RESOURCES.map(({ kind }) => kind).filter((kind) => kind !== "ClusterPlatformConnection");
    expect(new Set(bad.map(({ kind }) => kind))).toEqual(new Set(kinds));
    await env.apply(...bad.map((one) => ({ ...one, metadata: { ...one.metadata, annotations: ANNOTATIONS } })));
    for (const { kind } of bad) {
      const told = await env.waitFor(kind, "bad", (object) => condition(object, "Ready")?.status === "False");
      expect(condition(told, "Ready")?.reason, kind).not.toBe("InternalError");
    }
    let longest = 0;
    for (const one of good()) {
      const appliedAt = performance.now();
      await env.apply(one);
      const type = one.kind === "PlatformOperation" ? "Complete" : "Ready";
      await env.waitFor(one.kind, "good", { type, status: "True" });
      const took = (performance.now() - appliedAt) / 1_000;
      expect(took, one.kind).toBeLessThan(DEADLINE_S);
      longest = Math.max(longest, took);
    }
    figure(
      task,
      `${bad.length} kinds, each with a hostile resource; a good one of each at its end after ${longest.toFixed(1)} s at most`,
      bad.length,
    );
  });
});
