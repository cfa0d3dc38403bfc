import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { jsonObject, request, encodeWith, wellFormed } from "./encode.ts";
import { parseExactJson, stringifyJson } from "./json.ts";
import { optional, record, ShapeError } from "./schema.ts";

it("request names members as record reads them, and leaves out unknown members", () => {
  const input = { name: "a", gitCommitId: "b", nextK8sVersion: "c", other: "d" };
  const body = encodeWith(request({ name: wellFormed, gitCommitId: wellFormed, nextK8sVersion: wellFormed }), input)();
  expect(body).toEqual({ name: "a", git_commit_id: "b", next_k8s_version: "c" });
  const read = record({ name: optional.text, git_commit_id: optional.text, next_k8s_version: optional.text });
  expect(read.parse(body)).toEqual({ name: "a", gitCommitId: "b", nextK8sVersion: "c" });
});

it("a request that cannot be sent is reported with at most three members and no value", () => {
  const shape = { a: z.number(), b: z.boolean(), c: wellFormed, d: z.int() };
  const values = { a: "s3cret", b: "s3cret", c: "s3cret\udfff", d: "s3cret" };
  const build = encodeWith(request(shape), values as unknown as z.input<ReturnType<typeof request<typeof shape>>>);
  expect(build).toThrow(
    new ShapeError(
      "the request cannot be sent: a: Invalid input: expected number, received string; " +
        "b: Invalid input: expected boolean, received string; c: not well-formed Unicode",
    ),
  );
});

describe("jsonObject", () => {
  const built = (source: Record<string, unknown>) => stringifyJson(encodeWith(jsonObject, source)());
  const large = fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n });
  const leaf = fc.oneof(fc.string({ unit: "grapheme" }), fc.boolean(), fc.constant(null), fc.integer(), large);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(leaf, fc.array(tie("tree"), { maxLength: 3 }), fc.dictionary(key(), tie("tree"), { maxKeys: 3 })),
  }));

  it("sends any JSON as it is", () => {
    fc.assert(
      fc.property(fc.dictionary(key(), tree), (source) => {
        expect(parseExactJson(built(source))).toEqual(source);
      }),
    );
  });

  it.each([NaN, Infinity, "\ud800", { a: [NaN] }, { "\udfff": 1 }, [undefined], () => 1, new Map(), Symbol("x")])(
    "refuses %j at any depth",
    (value) => {
      expect(() => built({ value })).toThrow(ShapeError);
      expect(() => built({ a: [{ b: value }] })).toThrow(ShapeError);
    },
  );
});

function key(): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("__proto__", "constructor", "toString"));
}
