import { expect, it } from "vitest";

import { declaredSettings, rememberedSettings, writtenWith } from "./settings.ts";

/** The settings of these values. */
const settingsOf = (values: Readonly<Record<string, unknown>>) =>
  declaredSettings(
    Object.entries(values).map(([path, value]) => ({ path, of: () => value })),
    undefined,
  );

it("the memory of settings holds no credentials, and is otherwise the same", () => {
  const settings = { "spec.cpu": "500", "spec.gitRepository.url": '"https://me:s3cret@git.example.com/a.git"' };
  expect(rememberedSettings(settings)).toEqual({
    ...settings,
    "spec.gitRepository.url": '"https://•••@git.example.com/a.git"',
  });
});

const wanted = settingsOf({ "spec.cpu": 250, "spec.name": "main", "spec.storage": undefined });

it("settings that were sent are remembered with what the platform stored, and how often they were sent", () => {
  const stored = settingsOf({ "spec.cpu": 500, "spec.name": "main" });
  expect(writtenWith(wanted, undefined, 0)).toEqual({ settings: wanted, altered: undefined, revision: 1 });
  expect(writtenWith(wanted, stored, 3)).toEqual({ settings: wanted, altered: { "spec.cpu": "500" }, revision: 4 });
});
