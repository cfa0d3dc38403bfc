import { describe, expect, it } from "vitest";

import { COMMIT, deployment, observedIn, passWith, plannedBy } from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";

const DEPLOY = `deployApplication ${COMMIT}`;

describe("a variable set that wrote to the application", () => {
  const before = "2026-11-21T09:00:00.000Z";
  const after = "2026-11-21T09:30:00.000Z";

  it.each<[string, string | undefined, string | undefined, string]>([
    ["since the last deployment causes a deployment", after, before, DEPLOY],
    ["for the first time since causes a deployment", after, "", DEPLOY],
    ["before the last deployment does not", before, before, "settled"],
    ["and is gone does not", undefined, before, "settled"],
    ["is no news to a deployment that knows nothing of sets", after, undefined, "settled"],
  ])("%s", (_, writtenAt, variablesAt, expected) => {
    const lastDeployment = deployment(variablesAt === undefined ? {} : { variablesAt });
    const context = passWith({ writtenAt, memory: { lastDeployment } });
    expect(plannedBy(context, observedIn("DEPLOYED"))).toBe(expected);
  });

  it.each([
    ["that is not known at the moment, as while it is adopted", undefined, before],
    ["that wrote again", after, after],
  ])("%s, counts as included in the next deployment", (_, writtenAt, included) => {
    const last = deployment({ gitCommitId: "0".repeat(40), variablesAt: before });
    const planned = application.plan(passWith({ writtenAt, memory: { lastDeployment: last } }), observedIn("DEPLOYED"));
    expect(planned).toMatchObject({ step: { op: "deployApplication", mark: { variablesAt: included } } });
  });
});
