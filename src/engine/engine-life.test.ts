import { describe, expect, it } from "vitest";

import { applied, DELETE, effects, engineEnv, type Env, remote, started } from "../../test/support/engine/env.ts";
import { widget } from "../../test/support/engine/kinds.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { EXTERNAL_ID, FINALIZER, INTENT, PAUSED, RECONCILE_REQUESTED_AT } from "../api/names.ts";
import type { JsonObject } from "../kube/api/types.ts";
import { recordedIn } from "./contract/status.ts";

const POLL = 11 * MINUTE;

/** The order of Kubernetes writes and platform changes from here on. */
function record(env: Env): string[] {
  const order: string[] = [];
  env.cluster.hooks.after = (write) => {
    if (write.key.startsWith("Widget/")) order.push(write.what);
    return Promise.resolve();
  };
  env.world.hooks.after = ({ op }) => {
    if (op !== "list" && op !== "get" && op !== "ping") order.push(`${op}!`);
    return Promise.resolve();
  };
  return order;
}

it.each([
  ["nothing is sent for the older one once the answer to a create is stored", "outcome"],
  ["an intent for the older one is not stored and not sent", "status"],
] as const)("a spec that changes within one reconcile is the one that is deployed: %s", async (_, what) => {
  const env = what === "outcome" ? await started() : await applied();
  env.cluster.hooks.before = (write) => {
    if (write.what === what && write.key.startsWith("Widget/")) {
      env.cluster.hooks.before = () => Promise.resolve();
      env.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
    }
    return Promise.resolve();
  };
  if (what === "outcome") env.widget("a", { commit: "c1" });
  else env.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
  await env.run(30_000);
  expect(effects(env)).toEqual(["create", "deploy"]);
  expect(remote(env)).toMatchObject({ commit: "c2", deploys: 1 });
});

it("a create with a deployment costs four writes, the first with the finalizer; a redeployment two; a correction none", async () => {
  const env = await started();
  const order = record(env);
  env.widget("a", { note: "mine", commit: "c1", ...DELETE });
  await env.run(5_000);
  expect(order).toEqual(["checked", "create!", "outcome", "status", "deploy!", "status"]);
  const { metadata, status: stored } = env.cluster.get("Widget", "a");
  const { id } = remote(env);
  expect(metadata.annotations).toMatchObject({ [EXTERNAL_ID]: id });
  expect(metadata.annotations).not.toHaveProperty([INTENT]);
  expect(metadata.finalizers).toEqual([FINALIZER]);
  expect(stored).toMatchObject({
    externalId: id,
    observedGeneration: 1,
    writeLedger: { identity: { host: "platform.example" } },
  });
  expect(env.conditions("Widget", "a")).toContain("Ready=True/Available");
  order.length = 0;
  env.cluster.spec("Widget", "a", { name: "a", note: "mine", commit: "c2", ...DELETE });
  await env.run(5_000);
  expect(order).toEqual(["status", "deploy!", "status"]);
  expect(env.cluster.get("Widget", "a").status).toMatchObject({ observedGeneration: 2 });
  order.length = 0;
  env.world.change(id, { note: "theirs" });
  await env.run(POLL);
  expect(order).toEqual(["update!"]);
  expect(remote(env).note).toBe("mine");
});

describe("the steady state", () => {
  it("of children is not disturbed by changes of their parent, nor that of a connection by deleted users", async () => {
    const env = await started();
    env.widget("parent", { note: "n" });
    for (let index = 0; index < 10; index += 1) env.widget(`c${index}`, { parentRef: { name: "parent" } });
    await env.run(2 * POLL);
    const reconcilesOf = (part: string): number => env.reconciles.filter(({ key }) => key.includes(part)).length;
    const before = { children: reconcilesOf("/c"), links: reconcilesOf("Link/") };
    env.cluster.spec("Widget", "parent", { name: "parent", note: "m" });
    await env.run(100);
    expect(reconcilesOf("/c")).toBe(before.children);
    for (let index = 0; index < 10; index += 1) env.cluster.remove("Widget", `c${index}`);
    await env.run(100);
    expect(reconcilesOf("Link/")).toBe(before.links);
  });

  it("writes nothing, neither to the platform nor to Kubernetes, and survives a restart", async () => {
    const env = await started();
    env.widget("a", { commit: "c1" });
    env.widget("b", { parentRef: { name: "a" }, note: "n" });
    await env.run(POLL);
    const facts = () => [env.cluster.writes.length, effects(env), env.cluster.get("Widget", "a")];
    const [before, reconciles] = [facts(), env.reconciles.length];
    await env.run(6 * POLL);
    expect(facts()).toEqual(before);
    expect(env.reconciles.length - reconciles).toBeLessThan(3 * 8);
    env.restart();
    await env.run(2 * POLL);
    expect(facts()).toEqual(before);
  });

  it("always has a next reconcile", async () => {
    const env = await started();
    env.widget("good", { commit: "c1" });
    env.widget("orphan", { parentRef: { name: "nobody" } });
    env.cluster.create("Widget", "wrong", { name: 7 });
    env.widget("torn", { explode: "plan" });
    env.widget("quiet", {}, { annotations: { [PAUSED]: "true" } });
    await env.run(60_000);
    for (const name of ["good", "orphan", "wrong", "torn", "quiet"]) {
      expect(env.due("Widget", name), name).toBeGreaterThan(0);
    }
    expect(env.due("Link", "default")).toBeGreaterThan(0);
  });
});

it("an object that another resource writes to while it is read is read again before anything is planned", async () => {
  const reads: { readonly reconcile: number; readonly writtenAt: string | undefined }[] = [];
  let whileRead = (): void => {};
  const env = engineEnv({
    kind: {
      ...widget,
      fieldClaims: ({ memory: { told } }) =>
        told === undefined ? [] : [{ id: told, writtenAt: "2026-11-21T10:00:00.000Z" }],
      observe: async (context, api) => {
        if (context.spec.name === "a") {
          reads.push({ reconcile: env.reconciles.length, writtenAt: context.records.writtenAt });
          whileRead();
        }
        return await widget.observe(context, api);
      },
    },
  });
  env.widget("a");
  env.widget("b");
  await env.run(60_000);
  const externalId = remote(env).id;
  reads.length = 0;
  whileRead = () => {
    whileRead = () => {};
    env.cluster.status("Widget", "b", { ...(env.cluster.get("Widget", "b").status as JsonObject), told: externalId });
  };
  env.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
  await env.run(0);
  const [first, second] = reads;
  expect(first?.writtenAt).toBeUndefined();
  expect(second?.writtenAt).toBe("2026-11-21T10:00:00.000Z");
  expect(second?.reconcile).toBe(first?.reconcile);
});

it("[A7] a process that ends stores what only it knows, and nothing else", async () => {
  const env = await started();
  env.world.deployed = "BUSY";
  env.widget("a", { commit: "abcdef1" });
  await env.run(5_000);
  expect(env.world.count("deploy")).toBe(1);
  expect(env.cluster.get("Widget", "a").status).toHaveProperty("writeLedger.intent");
  await env.engine.flush();
  expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("writeLedger.intent");
  const writes = env.cluster.writes.length;
  await env.engine.flush();
  expect(env.cluster.writes.length).toBe(writes);
});

it("what only a process knows is dropped once another process has changed the record", async () => {
  const env = await started();
  env.world.deployed = "BUSY";
  env.widget("a", { commit: "c1" });
  await env.run(5_000);
  const stored = env.cluster.get("Widget", "a");
  const writeLedger = { identity: recordedIn(stored, "identity"), deployed: { commit: "c1" } };
  env.cluster.status("Widget", "a", { ...(stored.status as JsonObject), writeLedger });
  env.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "now" });
  await env.run(MINUTE);
  expect(env.world.count("deploy")).toBe(1);
  expect(env.cluster.get("Widget", "a").status).not.toHaveProperty("writeLedger.intent");
});
