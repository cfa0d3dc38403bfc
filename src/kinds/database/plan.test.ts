import { describe, expect, it } from "vitest";

import { observedFull, contextWith, plans } from "../../../test/support/services/databases.ts";
import { database } from "./index.ts";

// ../service/plan.test.ts has what holds for applications, too.
describe("the next step of a database", () => {
  const missing = observedFull("DEPLOYED", {}, { status: undefined, isGone: true });
  const withheld = { spec: { version: "17" }, blockedOperations: new Set(["updateDatabase"]) };

  plans([
    ["when the update is withheld", withheld, observedFull("DEPLOYED"), "settled"],
    ["of another version", {}, observedFull("DEPLOYED", { version: "15" }), "updateDatabase corrects"],
    ["that is gone, though its record is still listed", {}, missing, "stalled ExternalResourceDeleted"],
  ]);

  it.each([
    ["type", { type: "REDIS" }],
    ["mode", { mode: "MANAGED" }],
  ])("is not to take over one of another %s", (field, spec) => {
    const next = database.plan(
      contextWith({ id: undefined, identitySource: undefined, spec }),
      observedFull("DEPLOYED"),
    );
    const message: unknown = expect.stringContaining(`spec.${field}`);
    expect(next).toMatchObject({ is: "stalled", why: { reason: "InvalidSpec", message } });
  });
});
