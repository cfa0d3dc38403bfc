import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { parseExactJson, stringifyJson } from "../../../src/platform/codec/json.ts";
import { isRead, type OperationName } from "../../../src/platform/codec/operations.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { effort } from "../../support/env/effort.ts";
import { answerOf, emptyPlatform, memoryPlatform } from "../../support/hostile/empty-platform.ts";
import { listenerOf, startHarness, type World } from "../../support/platform/env.ts";
import { figure } from "../../support/platform/figure.ts";
import { casesOf, documented, full } from "../../support/platform/operations.ts";

const ID = "00000000-0000-4000-8000-00000000000a";
const CANARY = "c4n4ry-of-the-body";
const cases = casesOf({ ...documented, ...full });

/** What the platform answers to each operation when all is well. */
const answers = new Map<OperationName, string>();
let world: World;

beforeAll(async () => {
  world = await startHarness("full", "");
  const { platform: listening, heard } = listenerOf(world);
  for (const [name, { call }] of cases) {
    await call(listening, world);
    answers.set(name, heard().text);
  }
});

afterAll(() => world.close());

let said = "";
const { platform } = memoryPlatform(() => answerOf(200, said));
const calls = new Map(cases.map(([name, { call }]) => [name, () => call(platform, emptyPlatform(ID))]));

/** Calls an operation that is answered so. @returns its value, or its ApiError; throws whatever else is thrown */
async function answered(name: OperationName, text: string): Promise<unknown> {
  said = text;
  return await calls
    .get(name)?.()
    .catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
}

/** Bodies of a 200 that none of the operations has. */
const malformed: readonly (readonly [what: string, body: (right: string) => string])[] = [
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

/** Whose success is all that counts: their answers are not read. */
const UNREAD = /^(delete\w+|sendInvoices)$/;
/** A log is any text; a blueprint's creation that shows no id is traced. */
const ANYTHING: ReadonlySet<string> = new Set(["createBlueprint", "getApplicationLog"]);
/** Deployed services answer these without a body. */
const MAYBE_EMPTY =
  /^(putBinding|update\w+|deploy\w+|stop\w+|upgradeCluster|importVariables|create(Variable|Secret)|getHelmDefaultValues)$/;
/** All of whose members may be missing. */
const ALL_OPTIONAL = /^([a-z]+Binding|listServiceStatuses|getIngressStatus|create(Variable|Secret))$/;

function mayBeRead(name: OperationName, what: string): boolean {
  if (UNREAD.test(name) || ANYTHING.has(name)) return true;
  if (name === "getHelmDefaultValues") return what !== "HTML";
  if (what === "nothing") return MAYBE_EMPTY.test(name);
  return what === "another object" && ALL_OPTIONAL.test(name);
}

describe("[C4] a 200 with", { timeout: 60_000 }, () => {
  it.for(malformed)("%s is an error of its type for every operation, and is not quoted", async (row, { task }) => {
    const [what, body] = row;
    for (const [name] of cases) {
      const outcome = await answered(name, body(answers.get(name) ?? ""));
      expect(outcome instanceof ApiError || mayBeRead(name, what), name).toBe(true);
      if (!(outcome instanceof ApiError)) continue;
      expect(outcome.failure.is, name).toBe(isRead(name) ? "BadResponse" : "OutcomeUnknown");
      expect(`${outcome.message} ${outcome.stack}`, name).not.toContain(CANARY);
    }
    figure(task, `${cases.length} operations, 0 untyped errors, 0 quotes of a body`, cases.length);
  });
});

type Path = readonly (string | number)[];

/** Every place in a document, branches included, but for the document itself. */
function places(value: unknown, path: Path = []): readonly Path[] {
  const here = path.length === 0 ? [] : [path];
  if (Array.isArray(value)) return [...here, ...value.flatMap((item, index) => places(item, [...path, index]))];
  if (typeof value !== "object" || value === null) return here;
  return [...here, ...Object.entries(value).flatMap(([name, member]) => places(member, [...path, name]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Record<string | number, unknown>)[step], value);
}

/** @returns the document with another value in a place; undefined takes it out. */
function changed(value: unknown, path: Path, other: unknown): unknown {
  const copy = structuredClone(value);
  const parent = at(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (other === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = other;
  return copy;
}

const UUID = /^[0-9a-f]{8}-/;
const BEYOND = 9_007_199_254_740_993n;
const MUTATIONS = 50;

/** Values that no documentation has. */
const others = fc.constantFrom<unknown>(
  ...[undefined, null, true, [], {}, "HIBERNATING", "not-a-uuid", "../../x", "7", 7, -1, 1.5, BEYOND],
  "\u0000\u202E" + "x".repeat(5_000),
);

/** A document with something changed in it, or with a member more that nobody knows. */
function mutated(right: unknown): fc.Arbitrary<unknown> {
  const edit = fc.tuple(fc.constantFrom(...places(right)), others).map(([path, other]) => changed(right, path, other));
  const more = fc.string().map((name) => changed(right, [name], CANARY));
  return fc.oneof({ weight: 5, arbitrary: edit }, { weight: 1, arbitrary: more });
}

describe("[C5] an answer", { timeout: 60_000 }, () => {
  const documents = () =>
    cases.flatMap(([name]): readonly (readonly [OperationName, unknown])[] => {
      const text = answers.get(name) ?? "";
      return /^[{[]/.test(text) ? [[name, parseExactJson(text)]] : [];
    });

  it("that is mutated is a value or an error of its type", async ({ task }) => {
    const runs = effort.cases(MUTATIONS, 40 * MUTATIONS);
    for (const [name, right] of documents()) {
      await fc.assert(
        fc.asyncProperty(mutated(right), async (wrong) => {
          const outcome = await answered(name, stringifyJson(wrong));
          if (!(outcome instanceof ApiError)) return;
          expect(outcome.failure.is, name).toBe(isRead(name) ? "BadResponse" : "OutcomeUnknown");
          expect(outcome.message, name).not.toContain(CANARY);
        }),
        { numRuns: runs, seed: effort.seed },
      );
    }
    const schemas = documents().length;
    figure(task, `0 crashes in ${runs} mutations of each of ${schemas} responses`, schemas * runs);
  });

  it("with a value that an enumeration does not list is read all the same", async () => {
    for (const [name, right] of documents()) {
      const words = places(right).filter((path) => {
        const value = at(right, path);
        return typeof value === "string" && /^[A-Z][A-Z_]+$/.test(value) && !UUID.test(value);
      });
      for (const path of words) {
        const outcome = await answered(name, stringifyJson(changed(right, path, "HIBERNATING")));
        expect(outcome instanceof ApiError, `${name} ${path.join(".")}`).toBe(false);
      }
    }
  });

  it("with an integer beyond 2^53 keeps every digit, or leaves it out", async () => {
    for (const [name, right] of documents()) {
      for (const path of places(right).filter((place) => typeof at(right, place) === "number")) {
        const outcome = await answered(name, stringifyJson(changed(right, path, BEYOND)));
        if (outcome instanceof ApiError) continue;
        expect(stringifyJson(outcome ?? null), `${name} ${path.join(".")}`).not.toContain("9007199254740992");
      }
    }
  });
});
