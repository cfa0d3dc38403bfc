import { execFileSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import { tarOf } from "./index.ts";

describe("an archive", () => {
  it("is one that tar reads", () => {
    const long = "line\n".repeat(300);
    const archive = tarOf(
      [
        { name: "report/README.txt", text: "What is in it: ✔\n" },
        { name: "report/objects.yaml", text: long },
        { name: "report/empty.txt", text: "" },
      ],
      new Date("2026-11-21T12:00:00Z"),
    );
    const tar = (...args: readonly string[]): string =>
      execFileSync("tar", ["-f", "-", ...args], {
        input: archive,
        encoding: "utf8",
        env: { TZ: "UTC", PATH: "/usr/bin:/bin" },
      });
    expect(tar("-t").trim().split("\n")).toEqual(["report/README.txt", "report/objects.yaml", "report/empty.txt"]);
    expect(tar("-xO", "report/README.txt")).toBe("What is in it: ✔\n");
    expect(tar("-xO", "report/objects.yaml")).toBe(long);
    expect(tar("-tv")).toMatch(/2026-11-21 12:00 report\/empty\.txt/);
  });

  it("refuses a name that has no room", () => {
    expect(() => tarOf([{ name: "x".repeat(101), text: "" }], new Date(0))).toThrow(RangeError);
  });
});
