import { describe, expect, it } from "vitest";

import { engineBench, type Bench } from "../../../test/support/engine/env.ts";
import { KubeError } from "../../kube/api/errors.ts";

const MINUTE = 60_000;

/** A widget with a Secret to write, which fails so until `bench.output` is set anew. */
async function withSecret(output?: Bench["output"]): Promise<Bench> {
  const bench = engineBench();
  if (output !== undefined) bench.output = output;
  bench.widget("a", { outputSecret: "token" });
  await bench.run(5_000);
  return bench;
}

const told = (bench: Bench): unknown => bench.cluster.get("Widget", "a").status;

describe("a Secret beside an object", () => {
  it("is told once it is written, and written once", async () => {
    let writes = 0;
    const bench = await withSecret(() => {
      writes += 1;
      return Promise.resolve();
    });
    await bench.run(30 * MINUTE);
    expect(told(bench)).toMatchObject({ told: "token" });
    expect(writes).toBe(1);
    expect(JSON.stringify([told(bench), bench.events])).not.toContain("s3cret-value");
  });

  it.each([
    ["Conflict", "NameConflict", /Secret "token" exists and belongs to something else/],
    ["Forbidden", "PermissionDenied", /may not write Secret "token".*ClusterRole platform-operator-secret-outputs/],
  ] as const)("that cannot be written (%s) is told as %s until it can", async (failure, reason, message) => {
    const bench = await withSecret(() => Promise.reject(new KubeError(failure, 0, "no")));
    expect(bench.conditions("Widget", "a")).toContain(`Stalled=True/${reason}`);
    expect(told(bench)).not.toHaveProperty("told");
    expect(JSON.stringify(told(bench))).toMatch(new RegExp(message.source.replaceAll('"', String.raw`\\"`)));
    bench.output = () => Promise.resolve();
    await bench.run(6 * MINUTE);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
    expect(told(bench)).toMatchObject({ told: "token" });
  });

  it("that the API server fails to take is written later", async () => {
    const bench = await withSecret(() => Promise.reject(new KubeError("Server", 500, "no")));
    expect(told(bench)).not.toHaveProperty("told");
    bench.output = () => Promise.resolve();
    await bench.run(MINUTE);
    expect(told(bench)).toMatchObject({ told: "token" });
  });
});

describe("a report that wants to be looked at soon", () => {
  it("is, however long the poll interval is", async () => {
    const bench = await withSecret();
    await bench.run(2 * MINUTE);
    const reads = bench.passes.length;
    await bench.run(10 * MINUTE);
    expect(bench.passes.length - reads).toBeGreaterThanOrEqual(9);
  });
});
