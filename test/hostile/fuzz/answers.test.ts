/** Any answer of a platform, through every operation of the client. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { parseExactJson, stringifyJson } from "../../../src/platform/codec/json.ts";
import { isRead, type OperationName } from "../../../src/platform/codec/operations.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { effort } from "../../support/env/effort.ts";
import { expectNoPollution } from "../../support/hostile/values.ts";
import { listenerOf, startHarness } from "../../support/platform/env.ts";
import { figure } from "../../support/platform/figure.ts";
import { casesOf, documented, full } from "../../support/platform/operations.ts";
import { answerOf, emptyPlatform, memoryPlatform } from "./empty-platform.ts";
import { mutated, valuesIn } from "./mutations.ts";

const ID = "00000000-0000-4000-8000-00000000000a";
const CANARY = "c4n4ry-of-the-body";
const TIMEOUT = { timeout: effort.cases(60_000, 3_600_000) };
const cases = [...casesOf(documented), ...casesOf(full)];
const calls = new Map(
  cases.map(([name, { call }]) => [name, (platform: Platform) => call(platform, emptyPlatform(ID))]),
);

/** The simulated platform's answer to each operation. */
const valid = new Map<OperationName, string>();
const textFor = (name: OperationName): string => valid.get(name) ?? "";

beforeAll(async () => {
  const world = await startHarness("full", "");
  const { platform, heard } = listenerOf(world);
  for (const [name, { call }] of cases) {
    await call(platform, world);
    valid.set(name, heard().text);
  }
  await world.close();
}, TIMEOUT.timeout);

let answer = answerOf(200, "");
const { platform } = memoryPlatform(() => answer);

/** @returns the value of a call, or its ApiError. @throws any other error */
async function outcomeOf(call: Promise<unknown> | undefined): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function answered(name: OperationName, text: string, status = 200): Promise<unknown> {
  answer = answerOf(status, text);
  return await outcomeOf(calls.get(name)?.(platform));
}

/** An error says whether the operation may have been executed, and does not quote the body. */
function expectTyped(name: OperationName, outcome: unknown): void {
  if (!(outcome instanceof ApiError)) return;
  expect(outcome.failure.is, name).toBe(isRead(name) ? "BadResponse" : "OutcomeUnknown");
  expect(`${outcome.message} ${outcome.stack}`, name).not.toContain(CANARY);
}

const MALFORMED: readonly (readonly [what: string, body: (right: string) => string])[] = [
  ["nothing", () => ""],
  ["HTML", () => `<!DOCTYPE html><html><title>${CANARY}</title></html>`],
  ["a text", () => CANARY],
  ["half of it", (right) => right.slice(0, Math.ceil(right.length / 2))],
  ["no JSON", (right) => `${right.slice(0, -1)},,"${CANARY}"`],
  ["null", () => "null"],
  ["a number", () => "-1"],
  ["a list", () => `["${CANARY}"]`],
  ["another object", () => `{"error":"${CANARY}","results":"${CANARY}"}`],
];

/** Only their success matters; a log is any text; a blueprint's creation that shows no id is traced. */
const UNREAD = /^(delete\w+|cancelDeployment|sendInvoices|createBlueprint|getApplicationLog)$/;
/** Deployed services answer these without a body. */
const MAYBE_EMPTY =
  /^(putBinding|update\w+|deploy\w+|stop\w+|upgradeCluster|importVariables|create(Variable|Secret)|getHelmDefaultValues)$/;
/** All of whose members may be missing. */
const ALL_OPTIONAL =
  /^([a-z]+Binding|listServiceStatuses|getIngressStatus|getDeploymentStatus|(create|update)(Variable|Secret))$/;

function mayBeRead(name: OperationName, what: string): boolean {
  if (UNREAD.test(name)) return true;
  if (name === "getHelmDefaultValues") return what !== "HTML";
  if (what === "nothing") return MAYBE_EMPTY.test(name);
  return what === "another object" && ALL_OPTIONAL.test(name);
}

describe("[C4] an answer with the status 200 whose body is", TIMEOUT, () => {
  it.for(MALFORMED)("%s is an error with a type for every operation, and is not quoted", async (row, { task }) => {
    const [what, body] = row;
    for (const [name] of cases) {
      const outcome = await answered(name, body(textFor(name)));
      const isExpected = outcome instanceof ApiError || mayBeRead(name, what);
      expect(isExpected, `${name} returns ${JSON.stringify(outcome)}`).toBe(true);
      expectTyped(name, outcome);
    }
    figure(task, `${cases.length} operations, 0 untyped errors, 0 quotes of a body`, cases.length);
  });
});

describe("[C5] an answer of an operation", TIMEOUT, () => {
  const inJson = () => cases.flatMap(([name]) => (/^[{[]/.test(textFor(name)) ? [name] : []));

  it("is read, or is an error with a type, after any mutation of its body", async ({ task }) => {
    const numRuns = effort.cases(10, 2_000);
    for (const name of inJson()) {
      await fc.assert(
        fc.asyncProperty(mutated(textFor(name)), async (wrong) => {
          // With a member that nobody knows.
          expectTyped(name, await answered(name, wrong.replace(/^\{(?=")/, `{"${CANARY}":"${CANARY}",`)));
        }),
        { numRuns, seed: effort.seed },
      );
    }
    const count = inJson().length;
    expect(count).toBeGreaterThan(30);
    figure(task, `0 crashes in ${numRuns} mutations of each of ${count} responses`, count * numRuns);
  });

  it("is read although an enumeration has a value that it does not list", async () => {
    for (const name of inJson()) {
      for (const { value, replacedBy } of valuesIn(parseExactJson(textFor(name)))) {
        if (typeof value !== "string" || !/^[A-Z][A-Z_]+$/.test(value)) continue;
        const outcome = await answered(name, stringifyJson(replacedBy("HIBERNATING")));
        expect(outcome, `${name} ${value}`).not.toBeInstanceOf(ApiError);
      }
    }
  });

  it("keeps every digit of an integer beyond 2^53, or leaves the integer out", async () => {
    for (const name of inJson()) {
      for (const { value, replacedBy } of valuesIn(parseExactJson(textFor(name)))) {
        if (typeof value !== "number") continue;
        const outcome = await answered(name, stringifyJson(replacedBy(9_007_199_254_740_993n)));
        if (outcome instanceof ApiError) continue;
        expect(stringifyJson(outcome ?? null), `${name} ${value}`).not.toContain("9007199254740992");
      }
    }
  });
});

const STATUSES = [200, 201, 202, 204, 299, 302, 400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 503];

const exchange = fc
  .tuple(fc.constantFrom(...cases.map(([name]) => name)), fc.constantFrom(...STATUSES, 200, 200, 200, 200, 200, 200))
  .chain(([name, status]) =>
    fc.record({ name: fc.constant(name), status: fc.constant(status), text: mutated(textFor(name)) }),
  );

describe("[E3] an answer with hostile JSON", TIMEOUT, () => {
  it("gives a value or an error with a type and a short, printable message, and changes no prototype", async ({
    task,
  }) => {
    const numRuns = effort.cases(1_000, 100_000);
    let slowest = 0;
    await fc.assert(
      fc.asyncProperty(exchange, async ({ name, status, text }) => {
        const startedAt = performance.now();
        const outcome = await answered(name, text, status);
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

  it("is sent back unchanged in an update that is based on it, or the update is refused", async ({ task }) => {
    const numRuns = effort.cases(200, 20_000);
    let record = "";
    const { platform, taken } = memoryPlatform(({ method }) =>
      answerOf(200, method === "GET" ? record : textFor("updateProject")),
    );
    await fc.assert(
      fc.asyncProperty(mutated(textFor("getProject")), async (text) => {
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

  it("[E5] nested deeper than the stack is refused before it is sent, without a RangeError", async () => {
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
});
