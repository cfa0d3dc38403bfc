/** PlatformCluster on a real control plane: who is on a cluster, its end, the Secret with its token. */
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { FINALIZER, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { SECRET_OUTPUTS } from "../../src/operator/rbac.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { database, defaults, environment, project, resource, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";
const AUTOMATIC = { applyPolicy: "Automatic" };

const env = createEnv({ surface: "full", mayRefuse: ["secrets"] });

beforeAll(async () => {
  // Found out by itself only once there is a project.
  await env.apply(...defaults(env, { surface: "Full" }));
});

const cluster = (name: string, index: 0 | 1, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { externalId: env.platform.clusterIds[index] ?? "", ...spec });

const Decoded = z.string().transform((text) => Buffer.from(text, "base64").toString());
const Held = z.object({ metadata: z.looseObject({}), data: z.record(z.string(), Decoded) });

const heldIn = async (name: string) => Held.parse(await env.get("Secret", name));

describe("the token of a PlatformCluster", () => {
  it("is not written to a Secret while the operator has no right to, and the status says so", async () => {
    await env.apply(cluster("edge", 1, { writeTokenSecretToRef: { name: "edge-token" } }));
    const refused = await env.stalled(KIND, "edge", "PermissionDenied", `ClusterRole ${SECRET_OUTPUTS.role}`);
    expect(refused.status).not.toHaveProperty("token");
    expect(await env.find("Secret", "edge-token")).toBeUndefined();
  });

  it("is written to a Secret that the resource owns, once the operator has the right", async () => {
    await grantSecretOutputs(env);
    const ready = await env.waitFor(KIND, "edge", { status: "True" });
    const { data, metadata } = await heldIn("edge-token");
    expect(data["token"]).toMatch(/^simulated-read-only-edge-/);
    expect(ready.status).toMatchObject({
      token: { secretName: "edge-token", expiresAt: data["expirationTimestamp"] },
    });
    expect(metadata).toMatchObject({
      labels: { "app.kubernetes.io/managed-by": "platform-operator" },
      ownerReferences: [{ kind: KIND, name: "edge", uid: ready.metadata.uid, controller: true }],
    });
    await env.quiet(2);
  });

  // No other test uses the right to patch a Secret (test/afterwards/rights.test.ts).
  it("is renewed when a reconcile is requested", async () => {
    const before = await heldIn("edge-token");
    await env.annotate(KIND, "edge", { [RECONCILE_REQUESTED_AT]: "now" });
    await expect.poll(async () => (await heldIn("edge-token")).data["token"]).not.toBe(before.data["token"]);
    await env.delete(cluster("edge", 1));
  });

  describe("the Secret with the connection of a PlatformDatabase", () => {
    const ref = (name: string) => ({ writeConnectionSecretToRef: { name } });

    it("contains ids, names, host and credentials, and is not read again from the platform", async () => {
      const [shop, place] = tree(env, "shop");
      const record = await env.record();
      await env.apply(shop!, place!, database("main", "shop", ref("main-connection")));
      const ready = await env.waitFor("PlatformDatabase", "main", { status: "True", reason: "Available" });
      const [id = "", environmentId] = ["externalId", "environmentId"].map((name) => stringMember(ready.status, name));
      expect(ready.status).toMatchObject({ connectionSecret: { secretName: "main-connection", generation: 1 } });
      const password = `p4ss-of-${id}`;
      const { data, metadata } = await heldIn("main-connection");
      expect(data).toEqual({
        id,
        name: "main",
        environmentId,
        environment: "shop",
        host: expect.stringMatching(/^postgresql-/),
        port: "5432",
        username: `login-${id.slice(0, 8)}`,
        password,
      });
      expect(metadata).toMatchObject({
        ownerReferences: [{ kind: "PlatformDatabase", name: "main", uid: ready.metadata.uid, controller: true }],
      });
      await env.settled();
      const reads = record.calls("getDatabaseCredentials").length;
      await env.quiet(2);
      expect(record.calls("getDatabaseCredentials")).toHaveLength(reads);
    });

    it("has the labels and annotations of the spec, and is restored after somebody edited or deleted it", async () => {
      const name = "main-connection";
      const metadata = { labels: { team: "shop" }, annotations: { "example.com/copy": "yes" } };
      await env.patch("PlatformDatabase", "main", { spec: { writeConnectionSecretToRef: { name, metadata } } });
      await expect.poll(async () => (await heldIn(name)).metadata).toMatchObject(metadata);
      const { data } = await heldIn(name);
      await env.settled();

      await env.patch("Secret", name, { metadata: { labels: { team: null } }, stringData: { password: "edited" } });
      const restored = { data, metadata };
      await expect.poll(() => heldIn(name), { timeout: 20_000 }).toMatchObject(restored);
      await env.remove("Secret", name);
      await expect
        .poll(async () => (await env.find("Secret", name)) && (await heldIn(name)), { timeout: 20_000 })
        .toMatchObject(restored);
      await env.settled();

      await env.patch("PlatformDatabase", "main", { spec: { writeConnectionSecretToRef: { metadata: null } } });
      await expect.poll(async () => (await heldIn(name)).metadata).not.toHaveProperty("annotations");
      expect((await heldIn(name)).metadata["labels"]).toEqual({ "app.kubernetes.io/managed-by": "platform-operator" });
    });
  });
});

describe("a PlatformCluster", () => {
  it("is referred to by an environment, and stopped with deletionPolicy Stop once no environment is on it", async () => {
    const clusterRef = { name: "edge" };
    await env.apply(cluster("edge", 1, { lifecycle: AUTOMATIC }));
    const made = await env.ready(project("shop"), environment(env, "staging", "shop", { clusterRef }));
    expect(member(made.status, "clusterId")).toBe(env.platform.clusterIds[1]);
    await env.patch(KIND, "edge", { spec: { lifecycle: { ...AUTOMATIC, deletionPolicy: "Stop" } } });
    await env.waitFor(KIND, "edge", ({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true);
    await env.remove(KIND, "edge");
    await env.waitFor(KIND, "edge", { reason: "WaitingForChildren" });
    const record = await env.record();
    await env.remove("PlatformEnvironment", "staging");
    await env.waitGone(KIND, "edge");
    expect(record.changes()).toEqual(["stopCluster"]);
    expect(env.platform.world().clusters.get(env.platform.clusterIds[1] ?? "")?.state).toBe("STOPPED");
  });
});
