import { describe, expect, it } from "vitest";

import { declaredSettings, memorable, sendingDue, unsentPaths, writtenWith } from "./settings.ts";

/** The settings of these values. */
const settingsOf = (values: Readonly<Record<string, unknown>>) =>
  declaredSettings(
    Object.keys(values).map((path) => ({ path, of: () => values[path] })),
    undefined,
  );

describe("the memory of the settings", () => {
  it("holds no credentials, and is otherwise the same", () => {
    const settings = { "spec.cpu": "500", "spec.gitRepository.url": '"https://me:s3cret@git.example.com/a.git"' };
    expect(memorable(settings)).toEqual({
      ...settings,
      "spec.gitRepository.url": '"https://•••@git.example.com/a.git"',
    });
  });
});

describe("settings that were sent", () => {
  const declared = settingsOf({ "spec.cpu": 250, "spec.name": "main", "spec.storage": undefined });

  it("are remembered with what the platform stored, and how often they were sent", () => {
    const stored = settingsOf({ "spec.cpu": 500, "spec.name": "main" });
    expect(writtenWith(declared, undefined, 0)).toEqual({
      settings: declared,
      altered: undefined,
      revision: 1,
    });
    expect(writtenWith(declared, stored, 3)).toEqual({
      settings: declared,
      altered: { "spec.cpu": "500" },
      revision: 4,
    });
  });

  it.each([
    ["the same", { "spec.cpu": 250, "spec.name": "main" }, undefined, false],
    ["what is not shown", {}, undefined, false],
    ["a difference", { "spec.cpu": 500 }, undefined, true],
    ["what the platform stored", { "spec.cpu": 500 }, { "spec.cpu": "500" }, false],
    ["something else again", { "spec.cpu": 1000 }, { "spec.cpu": "500" }, true],
  ])("are sent again for %s: %s", (_name, observed, altered, due) => {
    expect(sendingDue(declared, settingsOf(observed), { settings: declared, altered })).toBe(due);
  });

  it("are sent when the spec changed since, whatever the platform stores", () => {
    const written = { settings: settingsOf({ "spec.cpu": 100 }), altered: { "spec.cpu": "500" } };
    expect(sendingDue(declared, settingsOf({ "spec.cpu": 500 }), written)).toBe(true);
    expect(unsentPaths(declared, written)).toEqual(["spec.cpu", "spec.name"]);
    expect(unsentPaths(declared, undefined)).toEqual([]);
  });
});
