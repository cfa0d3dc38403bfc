import { describe, expect, it } from "vitest";
import { z } from "zod";

import { list } from "./decode.ts";
import { isWhole } from "./listing.ts";

const decode = list(z.string());

function listed(length: number, rest: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const items = Array.from({ length }, (_, index) => `item ${index}`);
  return decode.read({ text: JSON.stringify({ results: items, ...rest }), header: (name) => headers[name] });
}

describe("isWhole, for a list in an answer,", () => {
  it.each([0, 1, 10, 19, 21, 49, 51, 99, 101])("is true with %i items", (length) => {
    expect(isWhole(listed(length))).toBe(true);
  });

  it.each([20, 25, 30, 40, 50, 100, 150, 1000])("is false with %i items, which may be a page", (length) => {
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
  ])("is false with the member %o, which announces pages", (member) => {
    expect(isWhole(listed(3, member))).toBe(false);
  });

  it.each([{ pagination: null }, { next: null }, { request_id: "1" }, { message: "ok" }])(
    "is true with the member %o",
    (member) => {
      expect(isWhole(listed(3, member))).toBe(true);
    },
  );

  it.each(["link", "x-total-count", "x-next-page", "content-range"])("is false with the header %s", (name) => {
    expect(isWhole(listed(3, {}, { [name]: "1" }))).toBe(false);
  });

  it("is known only of the list that was read, not of a copy", () => {
    const page = listed(3, { next: 2 });
    expect(isWhole(page)).toBe(false);
    expect(isWhole([...page])).toBe(true);
  });
});
