import { describe, expect, it } from "vitest";
import { z } from "zod";

import { list } from "./decode.ts";
import { isWhole } from "./listing.ts";

const decode = list(z.string());

function listed(length: number, rest: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const items = Array.from({ length }, (_, index) => `item ${index}`);
  return decode.read({ text: JSON.stringify({ results: items, ...rest }), header: (name) => headers[name] });
}

describe("what a list proves", () => {
  it.each([0, 1, 10, 19, 21, 49, 51, 99, 101])("is all there is with %i items", (length) => {
    expect(isWhole(listed(length))).toBe(true);
  });

  it.each([20, 25, 30, 40, 50, 100, 150, 1000])("may be a page with %i items", (length) => {
    expect(isWhole(listed(length))).toBe(false);
  });

  it.each([
    { pagination: { next: 2 } },
    { next: "https://api.example.com/project?page=2" },
    { nextPageToken: "abc" },
    { has_more: true },
    { pageSize: 10 },
    { total_count: 3 },
    { total: 12 },
    { links: { next: "/project?page=2" } },
  ])("may be a page where the answer has the member %o", (member) => {
    expect(isWhole(listed(3, member))).toBe(false);
  });

  it.each([{ pagination: null }, { next: null }, { request_id: "1" }, { message: "ok" }])(
    "is all there is beside the member %o",
    (member) => {
      expect(isWhole(listed(3, member))).toBe(true);
    },
  );

  it.each(["link", "x-total-count", "x-next-page", "content-range"])("may be a page with the header %s", (name) => {
    expect(isWhole(listed(3, {}, { [name]: "1" }))).toBe(false);
  });

  it("is told of the list itself, and of no copy", () => {
    const page = listed(3, { next: 2 });
    expect([isWhole(page), isWhole([...page])]).toEqual([false, true]);
  });
});
