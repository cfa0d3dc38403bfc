import { expect, it } from "vitest";

import { hasUpdate, settingsCondition } from "./settings-synced.ts";

const DOCUMENTED = { isFull: false };
const FULL = { isFull: true };
const updated = { noun: "application", plural: "applications", update: "updateApplication", isShown: false } as const;

it.each([
  ["the surface Documented", DOCUMENTED, updated.update, false],
  ["the surface Full", FULL, updated.update, true],
  ["the surface Full, for a kind without an update", FULL, undefined, false],
])("an update is possible on %s: %j %s: %s", (_what, context, update, expected) => {
  expect(hasUpdate(context, update)).toBe(expected);
});

it("there is no condition where all settings are sent", () => {
  expect(settingsCondition(DOCUMENTED, [], updated)).toEqual([]);
});

it.each([
  [
    "not shown",
    false,
    "The platform's surface has no update of applications. Not changed there: spec.cpu, spec.memory; everything else is still sent. Change the spec back, or make the change on the platform and adopt the application with a new resource, or create the application again.",
  ],
  [
    "shown",
    true,
    "The platform's surface has no update of applications. Not changed there: spec.cpu, spec.memory; everything else is still sent. Change the spec back, or make the change on the platform.",
  ],
])("settings without an update are named, with what to do where they are %s", (_what, isShown, message) => {
  expect(settingsCondition(DOCUMENTED, ["spec.memory", "spec.cpu"], { ...updated, isShown })).toEqual([
    { type: "SettingsSynced", status: "False", reason: "UpdateNotSupported", message },
  ]);
});

it("settings whose record is not shown are sent once it is", () => {
  const message =
    "Not sent: spec.cpu; everything else is. An update needs the record of the application, which the platform does not show. It is sent once the platform shows it. Or change the spec back.";
  expect(settingsCondition(FULL, ["spec.cpu"], updated)).toEqual([
    { type: "SettingsSynced", status: "False", reason: "NotObservable", message },
  ]);
});
