import { expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { member } from "../../kube/api/json.ts";

const intentOf = (env: ReturnType<typeof engineEnv>) => member(env.cluster.get("Widget", "a").status, "intent");

it("[A7] a process that ends stores what only it knows, and nothing else", async () => {
  const env = engineEnv();
  await env.run(5_000);
  env.world.deployed = "BUSY";
  env.widget("a", { commit: "abcdef1" });
  await env.run(5_000);
  expect(env.world.count("deploy")).toBe(1);
  expect(intentOf(env)).toBeDefined();
  await env.engine.flush();
  expect(intentOf(env)).toBeUndefined();
  const writes = env.cluster.writes.length;
  await env.engine.flush();
  expect(env.cluster.writes.length).toBe(writes);
});
