/** Every resource that represents the target of a PlatformOperation reports what the operation did. */

import { beforeAll, describe, expect, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { database, defaults, NEXT_COMMIT, operation, tree } from "../support/kube/manifests.ts";

const DATABASE = "PlatformDatabase";

/** While the connection of a new process is not Ready, what is not settled waits for it. */
const withoutTimes = (status: unknown): unknown =>
  JSON.parse(JSON.stringify(status, (key, value: unknown) => (key === "lastTransitionTime" ? undefined : value)));

describe.each(effort.few(["documented", "full"] as const))("what an operation did, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"), database("orders", "web"));
    await env.settled();
  }, 60_000);

  const carriedOut = async (name: string, spec: JsonObject): Promise<string> => {
    await env.apply(operation(name, spec));
    await env.waitFor("PlatformOperation", name, { type: "Complete", status: "True" }, 40_000);
    return `${env.namespace}/${name}`;
  };

  it("is reported by its database, which is not started unasked, also after a restart", async () => {
    const record = await env.record();
    const stop = await carriedOut("stop-orders", { type: "StopDatabase", databaseRef: { name: "orders" } });
    const stopped = await env.waitFor(DATABASE, "orders", { type: "Stalled", status: "True" });
    expect(condition(stopped, "Ready")).toMatchObject({
      status: "False",
      reason: "DriftDetected",
      message: expect.stringContaining(stop),
    });
    expect(condition(stopped, "Deployed")).toMatchObject({ status: "False", reason: "STOPPED" });
    expect(condition(stopped, "Drifted")).toMatchObject({ status: "True" });
    const before = await env.waitFor(
      DATABASE,
      "orders",
      ({ status }) => member(member(status, "lastOperation"), "result") !== undefined,
    );
    await env.settled();
    await env.quiet(1);
    await env.restart();
    await env.settled();
    const after = await env.get(DATABASE, "orders");
    expect(withoutTimes(after.status)).toEqual(withoutTimes(before.status));
    expect(record.changes()).toEqual(["stopDatabase"]);

    await carriedOut("start-orders", { type: "DeployDatabase", databaseRef: { name: "orders" } });
    const started = await env.waitFor(DATABASE, "orders", { status: "True", reason: "Available" });
    expect(condition(started, "Drifted")?.status).not.toBe("True");
    expect(started.status).toMatchObject({ state: "DEPLOYED", lastOperation: { operation: "deployDatabase" } });
    expect(record.changes()).toEqual(["stopDatabase", "deployDatabase"]);
  });

  it("is reported by its application: the commit, and the request", async () => {
    const applicationRef = { name: "web" };
    const record = await env.record();
    await carriedOut("deploy", { type: "DeployApplication", applicationRef, gitCommitId: NEXT_COMMIT });
    const drifted = await env.waitFor("PlatformApplication", "web", { type: "Drifted", status: "True" });
    expect(condition(drifted, "Drifted")?.message).toContain(NEXT_COMMIT);
    const found = await env.waitFor("PlatformApplication", "web", ({ status }) =>
      JSON.stringify(status).includes('"Completed"'),
    );
    const { status } = await env.get("PlatformOperation", "deploy");
    expect(found.status).toMatchObject({
      lastOperation: {
        name: `${env.namespace}/deploy`,
        gitCommitId: NEXT_COMMIT,
        requestId: member(member(status, "request"), "requestId"),
      },
    });
    expect(condition(found, "Ready")?.message).toContain(NEXT_COMMIT.slice(0, 7));
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
