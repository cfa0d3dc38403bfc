import { expect, it } from "vitest";

import { engineBench } from "../../../test/support/engine/env.ts";
import { member } from "../../kube/api/json.ts";

const intentOf = (bench: ReturnType<typeof engineBench>) => member(bench.cluster.get("Widget", "a").status, "intent");

it("[A7] a process that ends stores what only it knows, and nothing else", async () => {
  const bench = engineBench();
  await bench.run(5_000);
  bench.world.deployed = "BUSY";
  bench.widget("a", { commit: "abcdef1" });
  await bench.run(5_000);
  expect(bench.world.count("deploy")).toBe(1);
  expect(intentOf(bench)).toBeDefined();
  await bench.engine.flush();
  expect(intentOf(bench)).toBeUndefined();
  const writes = bench.cluster.writes.length;
  await bench.engine.flush();
  expect(bench.cluster.writes.length).toBe(writes);
});
