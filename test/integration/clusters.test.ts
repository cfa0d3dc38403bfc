/** PlatformCluster on a real control plane: its upgrade, who is on a cluster, its end, the Secret with its token. */
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { FINALIZER, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { isObject, member, stringMember } from "../../src/kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { SECRET_OUTPUTS } from "../../src/operator/config/rbac.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { idOf } from "../support/env/settling.ts";
import { database, defaults, environment, project, resource, secret, tree } from "../support/kube/manifests.ts";

const KIND = "PlatformCluster";
const AUTOMATIC = { applyPolicy: "Automatic" };

const env = createEnv({ surface: "full", mayRefuse: ["secrets"] });

beforeAll(async () => {
  // Found out by itself only once there is a project.
  await env.apply(...defaults(env, { surface: "Full" }));
});

const cluster = (name: string, index: 0 | 1, spec: JsonObject = {}): Manifest =>
  resource(KIND, name, { externalId: env.platform.clusterIds[index] ?? "", ...spec });

const is = (key: string, value: string) => (object: KubeObject) =>
  member(object.status, key) === value && condition(object, "Ready")?.status === "True";

const Held = z.object({ metadata: z.looseObject({}), data: z.record(z.string(), z.string()) });
type Held = z.output<typeof Held>;

const decoded = ({ data }: Held, key: string): string => Buffer.from(data[key] ?? "", "base64").toString();

async function dataOf(name: string): Promise<Held> {
  return Held.parse(await env.get("Secret", name));
}

const tokenOf = ({ status }: KubeObject): JsonObject => {
  const token = member(status, "token");
  return isObject(token) ? token : {};
};

describe("the token of a cluster", () => {
  it("is not written without the right to, and that is reported", async () => {
    await env.apply(cluster("edge", 1, { writeTokenSecretToRef: { name: "edge-token" } }));
    const refused = await env.stalled(KIND, "edge", "PermissionDenied", `ClusterRole ${SECRET_OUTPUTS.role}`);
    expect(refused.status).not.toHaveProperty("token");
    expect(await env.find("Secret", "edge-token")).toBeUndefined();
  });

  it("is in a Secret that the resource owns once that is granted, and nowhere else", async () => {
    await grantSecretOutputs(env);
    const ready = await env.waitFor(KIND, "edge", { status: "True" });
    expect(tokenOf(ready)).toMatchObject({ secretName: "edge-token" });
    const held = await dataOf("edge-token");
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
      const before = decoded(await dataOf("edge-token"), "token");
      const { renewAt } = tokenOf(await env.get(KIND, "edge"));
      await act();
      await env.waitFor(KIND, "edge", (object) => {
        const now = tokenOf(object)["renewAt"];
        return now !== renewAt && now !== "2026-01-01T00:00:00.000Z";
      });
      const after = decoded(await dataOf("edge-token"), "token");
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

  it("does not overwrite what somebody else has made", async () => {
    await env.apply(secret("taken", { token: "mine" }));
    await env.patch(KIND, "edge", { spec: { writeTokenSecretToRef: { name: "taken" } } });
    const refused = await env.waitFor(KIND, "edge", { reason: "NameConflict" });
    expect(condition(refused, "Ready")?.message).toContain('Secret "taken"');
    expect(decoded(await dataOf("taken"), "token")).toBe("mine");
    await env.remove(KIND, "edge");
    await env.waitGone(KIND, "edge");
  });

  describe("beside the Secret with how a database is reached", () => {
    const ref = (name: string) => ({ writeConnectionSecretToRef: { name } });
    const all = async (name: string) => {
      const held = await dataOf(name);
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
      expect((await dataOf("main-connection")).metadata).toMatchObject({
        ownerReferences: [{ kind: "PlatformDatabase", name: "main", uid: ready.metadata.uid, controller: true }],
      });
      await env.settled();
      const reads = record.calls("getDatabaseCredentials").length;
      await env.quiet(2);
      expect(record.calls("getDatabaseCredentials")).toHaveLength(reads);
      const everything = [await env.list("PlatformDatabase"), await env.list("Event"), env.operator.logs()];
      expect(JSON.stringify(everything)).not.toContain(password);
    });

    it("which an application has too, until its spec does not name it any more", async () => {
      const [, , web] = tree(env, "shop", ref("shop-connection"));
      const ready = await env.ready(web!);
      expect(await all("shop-connection")).toMatchObject({ id: idOf(ready), environment: "shop" });
      await env.patch("PlatformApplication", "shop", { spec: { writeConnectionSecretToRef: null } });
      const isForgotten = ({ status }: KubeObject) => member(status, "connectionSecret") === undefined;
      await env.waitFor("PlatformApplication", "shop", isForgotten);
    });
  });
});

describe("clusters that the platform shows", () => {
  it("[A4] are upgraded once when nobody confirms it", async () => {
    const record = await env.record();
    env.platform.sim.faults.add({
      match: { operation: "upgradeCluster" },
      effect: "applied",
      answer: { is: "status", status: 502 },
      count: 1,
    });
    await env.apply(cluster("production", 0, { kubernetesVersion: "1.34", lifecycle: AUTOMATIC }));
    await env.waitFor(KIND, "production", is("kubernetesVersion", "1.34"));
    expect(record.changes()).toEqual(["upgradeCluster"]);
  });

  it("are named by the environments on them, and stopped with their resource once nobody is on them", async () => {
    const clusterRef = { name: "edge" };
    await env.apply(cluster("edge", 1, { lifecycle: AUTOMATIC }));
    const made = await env.ready(project("shop"), environment(env, "staging", "shop", { clusterRef }));
    expect(member(made.status, "clusterId")).toBe(env.platform.clusterIds[1]);
    await env.patch(KIND, "edge", { spec: { lifecycle: { ...AUTOMATIC, deletionPolicy: "Stop" } } });
    await env.waitFor(KIND, "edge", ({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true);
    await env.remove(KIND, "edge");
    await env.waitFor(KIND, "edge", (object) => condition(object, "Ready")?.reason === "WaitingForChildren");
    const record = await env.record();
    await env.remove("PlatformEnvironment", "staging");
    await env.waitGone(KIND, "edge");
    expect(record.changes()).toEqual(["stopCluster"]);
    expect(env.platform.world().clusters.get(env.platform.clusterIds[1] ?? "")?.state).toBe("STOPPED");
  });
});
