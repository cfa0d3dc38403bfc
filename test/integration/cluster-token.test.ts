/** The Secret with the token of a cluster, on a real control plane under the operator's own rights. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { isObject, member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { SECRET_OUTPUTS } from "../../src/operator/config/rbac.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { database, defaults, resource, secret, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";

const cluster = (env: Env, ref: JsonObject, spec: JsonObject = {}): Manifest =>
  resource(KIND, "edge", { externalId: env.platform.clusterIds[1] ?? "", writeTokenSecretToRef: ref, ...spec });

const Held = z.object({ metadata: z.looseObject({}), data: z.record(z.string(), z.string()) });
type Held = z.output<typeof Held>;

const decoded = ({ data }: Held, key: string): string => Buffer.from(data[key] ?? "", "base64").toString();

async function dataOf(env: Env, name: string): Promise<Held> {
  return Held.parse(await env.get("Secret", name));
}

const tokenOf = ({ status }: KubeObject): JsonObject => {
  const token = member(status, "token");
  return isObject(token) ? token : {};
};

describe("the token of a cluster", () => {
  const env = createEnv({ surface: "full", mayRefuse: ["secrets"] });

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: "Full" }));
  });

  it("is not written without the right to, and that is reported", async () => {
    await env.apply(cluster(env, { name: "edge-token" }));
    const refused = await env.waitFor(KIND, "edge", { reason: "PermissionDenied" });
    expect(condition(refused, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(refused, "Ready")?.message).toContain(`ClusterRole ${SECRET_OUTPUTS.role}`);
    expect(refused.status).not.toHaveProperty("token");
    expect(await env.find("Secret", "edge-token")).toBeUndefined();
  });

  it("is in a Secret that the resource owns once that is granted, and nowhere else", async () => {
    await grantSecretOutputs(env);
    const ready = await env.waitFor(KIND, "edge", { status: "True" });
    expect(tokenOf(ready)).toMatchObject({ secretName: "edge-token" });
    const held = await dataOf(env, "edge-token");
    const token = decoded(held, "token");
    expect(token).toMatch(/^simulated-read-only-edge-/);
    expect(decoded(held, "expirationTimestamp")).toBe(tokenOf(ready)["expiresAt"]);
    expect(held.metadata).toMatchObject({
      labels: { "app.kubernetes.io/managed-by": "platform-operator" },
      ownerReferences: [{ kind: KIND, name: "edge", uid: ready.metadata.uid, controller: true }],
    });
    const everything = [await env.list(KIND), await env.list("Event"), env.operator.logs()];
    expect(JSON.stringify(everything)).not.toContain(token);
    await env.quiet(2);
  });

  it("is renewed when it is time, and again where somebody asks or has deleted it", async () => {
    const renewed = async (act: () => Promise<void>): Promise<string> => {
      const before = decoded(await dataOf(env, "edge-token"), "token");
      const { renewAt } = tokenOf(await env.get(KIND, "edge"));
      await act();
      await env.waitFor(KIND, "edge", (object) => {
        const now = tokenOf(object)["renewAt"];
        return now !== renewAt && now !== "2026-01-01T00:00:00.000Z";
      });
      const after = decoded(await dataOf(env, "edge-token"), "token");
      expect(after).not.toBe(before);
      return after;
    };
    const token = { ...tokenOf(await env.get(KIND, "edge")), renewAt: "2026-01-01T00:00:00.000Z" };
    await renewed(() => env.patch(KIND, "edge", { status: { token } }, "status"));
    await renewed(() => env.annotate(KIND, "edge", { [RECONCILE_REQUESTED_AT]: "now" }));
    await env.remove("Secret", "edge-token");
    await env.annotate(KIND, "edge", { [RECONCILE_REQUESTED_AT]: "again" });
    await env.waitFor("Secret", "edge-token", () => true);
  });

  it("comes as a kubeconfig that kubectl takes, for the server that is named", async () => {
    const caBundle = Buffer.from("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n").toString("base64");
    const server = "https://edge.example.com:6443";
    await env.patch(KIND, "edge", {
      spec: { writeTokenSecretToRef: { name: "edge-token", readOnly: false, server, caBundle } },
    });
    const changed = await env.waitFor(KIND, "edge", (object) => tokenOf(object)["generation"] === 2);
    expect(condition(changed, "Ready")).toMatchObject({ status: "True" });
    const held = await dataOf(env, "edge-token");
    expect(decoded(held, "token")).toMatch(/^simulated-admin-edge-/);
    const folder = await mkdtemp(join(tmpdir(), "kubeconfig-"));
    const file = join(folder, "edge");
    await writeFile(file, decoded(held, "kubeconfig"));
    const view = await env.kubectl(["config", "view", "--raw", "-o", "json", "--kubeconfig", file]);
    await rm(folder, { recursive: true });
    expect(JSON.parse(view)).toMatchObject({
      "current-context": "edge",
      clusters: [{ name: "edge", cluster: { server, "certificate-authority-data": caBundle } }],
      users: [{ name: "edge", user: { token: decoded(held, "token") } }],
    });
  });

  it("does not overwrite what somebody else has made", async () => {
    await env.apply(secret("taken", { token: "mine" }));
    await env.patch(KIND, "edge", { spec: { writeTokenSecretToRef: { name: "taken" } } });
    const refused = await env.waitFor(KIND, "edge", { reason: "NameConflict" });
    expect(condition(refused, "Ready")?.message).toContain('Secret "taken"');
    expect(decoded(await dataOf(env, "taken"), "token")).toBe("mine");
    await env.patch(KIND, "edge", { spec: { writeTokenSecretToRef: null } });
    const without = await env.waitFor(KIND, "edge", { status: "True" });
    expect(without.status).not.toHaveProperty("token");
  });

  describe("beside the Secret with how a database is reached", () => {
    const ref = (name: string) => ({ writeConnectionSecretToRef: { name } });
    const all = async (name: string) => {
      const held = await dataOf(env, name);
      return Object.fromEntries(Object.keys(held.data).map((key) => [key, decoded(held, key)]));
    };

    it("which has ids, names, host and credentials, is not read again, and is nowhere else", async () => {
      const [shop, place] = tree(env, "shop");
      const record = await env.record();
      await env.apply(shop!, place!, database("main", "shop", ref("main-connection")));
      const ready = await env.waitFor("PlatformDatabase", "main", { status: "True", reason: "Available" });
      const [id = "", environmentId] = ["externalId", "environmentId"].map((name) => stringMember(ready.status, name));
      expect(ready.status).toMatchObject({ connectionSecret: { secretName: "main-connection", generation: 1 } });
      const password = `p4ss-of-${id}`;
      expect(await all("main-connection")).toEqual({
        id,
        name: "main",
        environmentId,
        environment: "shop",
        host: expect.stringMatching(/^postgresql-/),
        port: "5432",
        username: `login-${id.slice(0, 8)}`,
        password,
      });
      expect((await dataOf(env, "main-connection")).metadata).toMatchObject({
        ownerReferences: [{ kind: "PlatformDatabase", name: "main", uid: ready.metadata.uid, controller: true }],
      });
      await env.settled();
      const reads = record.calls("getDatabaseCredentials").length;
      await env.quiet(2);
      expect(record.calls("getDatabaseCredentials")).toHaveLength(reads);
      const everything = [await env.list("PlatformDatabase"), await env.list("Event"), env.operator.logs()];
      expect(JSON.stringify(everything)).not.toContain(password);
    });

    it("which is written again where somebody asks, and only if its content differs", async () => {
      const version = async () => (await dataOf(env, "main-connection")).metadata["resourceVersion"];
      const ask = async (token: string) => {
        await env.annotate("PlatformDatabase", "main", { [RECONCILE_REQUESTED_AT]: token });
        await env.waitFor(
          "PlatformDatabase",
          "main",
          ({ status }) => member(status, "lastHandledReconcileAt") === token,
        );
      };
      const before = await version();
      await ask("same");
      expect(await version()).toBe(before);
      await env.remove("Secret", "main-connection");
      await ask("gone");
      expect(await all("main-connection")).toMatchObject({ name: "main" });
    });

    it("which keeps its content while that cannot be read, and says so", async () => {
      env.platform.sim.faults.add({
        match: { operation: "getDatabaseCredentials" },
        answer: { is: "status", status: 403 },
        count: null,
      });
      await env.patch("PlatformDatabase", "main", { spec: { lifecycle: { driftPolicy: "Report" } } });
      const unread = await env.waitFor("PlatformDatabase", "main", { type: "ConnectionDetails", status: "Unknown" });
      expect(condition(unread, "ConnectionDetails")).toMatchObject({ reason: "PermissionDenied" });
      expect(condition(unread, "Ready")).toMatchObject({ status: "True" });
      expect(await all("main-connection")).toHaveProperty("password");
      env.platform.sim.faults.clear();
    });

    it("which is somebody else's for an application, until another one is named", async () => {
      const [, , web] = tree(env, "shop", ref("taken"));
      await env.apply(web!);
      const refused = await env.waitFor("PlatformApplication", "shop", { reason: "NameConflict" });
      expect(condition(refused, "Ready")?.message).toContain("Rename or delete it");
      expect(await all("taken")).toEqual({ token: "mine" });
      await env.patch("PlatformApplication", "shop", { spec: ref("shop-connection") });
      const ready = await env.waitFor("PlatformApplication", "shop", { status: "True" });
      expect(await all("shop-connection")).toMatchObject({
        id: member(ready.status, "externalId"),
        environment: "shop",
      });
      await env.patch("PlatformApplication", "shop", { spec: { writeConnectionSecretToRef: null } });
      await env.waitFor(
        "PlatformApplication",
        "shop",
        ({ status }) => member(status, "connectionSecret") === undefined,
      );
    });
  });
});
