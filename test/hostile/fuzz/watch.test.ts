/** Any bytes in a watch, cut into chunks at any place. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lines, parseEvent } from "../../../src/kube/watch/watch-event.ts";
import { effort } from "../../support/env/effort.ts";
import { anyText, expectNoPollution } from "../../support/hostile/values.ts";
import { THING } from "../../support/kube/things.ts";
import { figure } from "../../support/platform/figure.ts";
import { anyJson, mutated, textOf } from "./mutations.ts";

const options = { seed: effort.seed, numRuns: effort.cases(1_000, 100_000) };
const TYPES = ["put", "deleted", "bookmark", "error", "malformed"];

const metadata = { name: "a", namespace: "shop", uid: "u", resourceVersion: "7", generation: 1, labels: { a: "b" } };
const GOING = { finalizers: ["x"], deletionTimestamp: "2026-11-21T10:00:00Z" };
const valid = [
  { type: "ADDED", object: { apiVersion: "x/v1", kind: "Thing", metadata, spec: { size: 1 } } },
  { type: "DELETED", object: { metadata: { ...metadata, ...GOING } } },
  { type: "BOOKMARK", object: { metadata: { resourceVersion: "8" } } },
  { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old", details: {} } },
].map((event) => JSON.stringify(event));

const line = fc.oneof(fc.constantFrom(...valid), fc.oneof(...valid.map(mutated)), anyText());
const whole = fc.array(line, { maxLength: 4 }).map((all) => Buffer.from(all.map((one) => `${one}\n`).join("")));
const ends = fc.array(fc.constantFrom("\n", "\r\n", "\u2028", "😀", "{}", "\u0000"), { maxLength: 20 });
const bytes = fc.oneof(
  { weight: 3, arbitrary: whole },
  fc.uint8Array({ maxLength: 200 }),
  ends.map((all) => Buffer.from(all.join(""))),
);

async function* inPieces(whole: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const size of sizes) {
    yield whole.subarray(from, from + size);
    from += size;
  }
  yield whole.subarray(from);
}

/** @returns the number of bytes that are left over, and the lines of a stream */
async function read(chunks: AsyncIterable<Uint8Array>): Promise<readonly unknown[]> {
  const found: string[] = [];
  let rest = 0;
  for await (const text of lines(chunks, (left) => (rest = left))) found.push(text);
  return [rest, ...found];
}

describe("[B7] the bytes of a watch", { timeout: effort.cases(30_000, 3_600_000) }, () => {
  it("give the same events however they are cut into chunks, and never throw", async ({ task }) => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(9), { maxLength: 40 }), async (whole, sizes) => {
        const once = await read(inPieces(whole, []));
        expect(await read(inPieces(whole, sizes))).toEqual(once);
        for (const text of once.slice(1)) expect(TYPES).toContain(parseEvent(THING, String(text)).type);
      }),
      options,
    );
    figure(task, "0 exceptions, 0 events changed by a cut", options.numRuns);
  });

  it("[E3] change no prototype, whatever an event contains", ({ task }) => {
    fc.assert(
      fc.property(line, anyJson, (text, object) => {
        const odd = { type: "ADDED", object: typeof object === "object" ? { metadata, ...object } : object };
        for (const one of [text, textOf(odd)]) {
          const event = parseEvent(THING, one);
          const name = event.type === "put" ? event.object.metadata.name : "";
          expect(typeof name).toBe("string");
          expect(event.type === "error" ? event.error.message : "").not.toContain("too old");
        }
        expectNoPollution();
      }),
      options,
    );
    figure(task, "({}).polluted stays undefined", options.numRuns);
  });
});
