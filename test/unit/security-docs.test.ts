import { posix } from "node:path";

import { describe, expect, it } from "vitest";

import { textOf } from "./repository.ts";

const page = "docs/security/threat-model.md";
const rows = [...textOf(page).matchAll(/^\| ([ES]\d+) \|.*\| ([^|]*) \|$/gm)].map(([, id = "", tests = ""]) => ({
  id,
  tests: [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path),
}));

describe("the threat model", () => {
  it("has a row for each class of hostile input and for each surface of the operator", () => {
    const classes = [...Array.from({ length: 16 }, (_, index) => `E${index + 1}`), "S1", "S2", "S3", "S4", "S5"];
    expect(rows.map(({ id }) => id)).toEqual(classes);
  });

  it.each(rows)("names tests for $id whose titles have this id", ({ id, tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    const texts = tests.map((path) => ({ path, text: textOf(posix.join(page, "..", path)) }));
    expect(texts.filter(({ text }) => !text.includes(`[${id}]`)).map(({ path }) => path)).toEqual([]);
  });

  it.each(["README.md", "docs/README.md"])("is linked from %s, together with the security policy", (file) => {
    const text = textOf(file);
    expect(text).toContain("security/threat-model.md");
    expect(text).toContain("SECURITY.md");
  });
});
