import { execFileSync } from "node:child_process";

import { expect, it } from "vitest";

import { tarOf } from "./index.ts";

it("an archive that tarOf() makes is one that tar reads", () => {
  const files = { "README.txt": "What is in it: ✔\n", "objects.yaml": "line\n".repeat(300), "empty.txt": "" };
  const named = Object.entries(files).map(([name, text]) => ({ name: `report/${name}`, text }));
  const input = tarOf(named, new Date("2026-11-21T12:00:00Z"));
  const env = { TZ: "UTC", PATH: "/usr/bin:/bin" };
  const tar = (...args: readonly string[]): string =>
    execFileSync("tar", ["-f", "-", ...args], { input, encoding: "utf8", env });
  expect(tar("-t").trim().split("\n")).toEqual(named.map(({ name }) => name));
  expect(tar("-xO", "report/README.txt")).toBe(files["README.txt"]);
  expect(tar("-xO", "report/objects.yaml")).toBe(files["objects.yaml"]);
  expect(tar("-tv")).toMatch(/2026-11-21 12:00 report\/empty\.txt/);
});

it("tarOf() rejects a file name that is longer than the format allows", () => {
  expect(() => tarOf([{ name: "x".repeat(101), text: "" }], new Date(0))).toThrow(RangeError);
});
