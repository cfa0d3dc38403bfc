/** Any answer of a platform, through every operation of the client (E3, E5, C5). */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import type { OperationName } from "../../../src/platform/codec/operations.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { effort } from "../../support/env/effort.ts";
import { answerOf, emptyPlatform, memoryPlatform } from "../../support/hostile/empty-platform.ts";
import { anyJson, mutated } from "../../support/hostile/mutations.ts";
import { listenerOf, startHarness } from "../../support/platform/env.ts";
import { figure } from "../../support/platform/figure.ts";
import { casesOf, documented, full } from "../../support/platform/operations.ts";

const ID = "00000000-0000-4000-8000-00000000000a";
const cases = [...casesOf(documented), ...casesOf(full)];
const calls = new Map(
  cases.map(([name, { call }]) => [name, (platform: Platform) => call(platform, emptyPlatform(ID))]),
);
const STATUSES = [200, 201, 202, 204, 299, 302, 400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 503];

/** The simulated platform's answer to each operation. */
const valid = new Map<OperationName, string>();

beforeAll(async () => {
  const world = await startHarness("full", "");
  const { platform, heard } = listenerOf(world);
  for (const [name, { call }] of cases) {
    await call(platform, world);
    valid.set(name, heard().text);
  }
  await world.close();
});

/** One operation, and its answer. */
const exchange = fc
  .tuple(fc.constantFrom(...cases.map(([name]) => name)), fc.constantFrom(...STATUSES, 200, 200, 200, 200, 200, 200))
  .chain(([name, status]) =>
    fc.record({ name: fc.constant(name), status: fc.constant(status), text: mutated(valid.get(name) ?? "") }),
  );

/** @returns the value of a call, or its ApiError. @throws any other error */
async function outcomeOf(call: Promise<unknown> | undefined): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function expectNoPollution(): void {
  expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Array.prototype)).toEqual([]);
}

describe("[E3] an answer of the platform", { timeout: effort.cases(30_000, 3_600_000) }, () => {
  it("with any JSON, or with some invalid values, gives a value or a typed error, and pollutes nothing", async ({
    task,
  }) => {
    let answer = answerOf(200, "");
    const { platform } = memoryPlatform(() => answer);
    const numRuns = effort.cases(1_000, 100_000);
    let slowest = 0;
    await fc.assert(
      fc.asyncProperty(exchange, async ({ name, status, text }) => {
        answer = answerOf(status, text);
        const startedAt = performance.now();
        const outcome = await outcomeOf(calls.get(name)?.(platform));
        slowest = Math.max(slowest, performance.now() - startedAt);
        const message = outcome instanceof ApiError ? outcome.message : "";
        expect(message.length).toBeLessThanOrEqual(300);
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expectNoPollution();
      }),
      { seed: effort.seed, numRuns },
    );
    figure(task, `${cases.length} operations, 0 untyped errors, slowest ${Math.ceil(slowest)} ms`, numRuns);
  });

  it("on which an update is based is sent back unchanged, or the update is refused", async ({ task }) => {
    const numRuns = effort.cases(200, 20_000);
    let record = "";
    const { platform, taken } = memoryPlatform(({ method }) =>
      answerOf(200, method === "GET" ? record : (valid.get("updateProject") ?? "")),
    );
    await fc.assert(
      fc.asyncProperty(mutated(valid.get("getProject") ?? ""), async (text) => {
        record = text;
        const read = await outcomeOf(platform.projects.get(ID));
        if (read instanceof ApiError) return;
        taken();
        const outcome = await outcomeOf(platform.projects.update(read as never, { name: "shop" }));
        const [sent] = taken();
        const result = sent === undefined ? outcome : JSON.parse(sent.body ?? "");
        expect(result).toMatchObject(sent === undefined ? { failure: { is: "Refused" } } : { name: "shop" });
        expectNoPollution();
      }),
      { seed: effort.seed, numRuns },
    );
    figure(task, "0 untyped errors", numRuns);
  });

  it("[E5] with values nested deeper than the stack is refused before it is sent, without a RangeError", async () => {
    const blueprint = { name: "cache", tag: "redis/1", icon: "https://x.example/i.svg" };
    const { platform, taken } = memoryPlatform(() => answerOf(200, "{}"));
    for (const depth of [9_000, 100_000]) {
      const deep: unknown = JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
      const call = platform.blueprints.create(ID, { ...blueprint, specOverrides: deep as never }, { deploy: false });
      expect(await outcomeOf(call)).toMatchObject({
        failure: { is: "Refused" },
        message: "the request cannot be sent: it is nested too deeply",
      });
    }
    expect(taken()).toEqual([]);
  });

  it("[E5] with any JSON as a list gives a value or a typed error", async () => {
    let list = answerOf(200, "");
    const { platform } = memoryPlatform(() => list);
    await fc.assert(
      fc.asyncProperty(fc.array(anyJson, { maxLength: 5 }), async (results) => {
        list = answerOf(
          200,
          JSON.stringify({ results }, (_key, value: unknown) => (typeof value === "bigint" ? 0 : value)),
        );
        for (const read of [platform.projects.list(), platform.templates.list(), platform.clusters.list()])
          await outcomeOf(read);
        expectNoPollution();
      }),
      { seed: effort.seed, numRuns: effort.cases(100, 10_000) },
    );
  });
});
