/** The result of kstatus, which Flux uses to wait, for every status that the operator writes. */
import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { healthCases } from "../support/health/index.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findKstatus } from "../tools/kstatus.ts";

const Results = z.array(z.object({ status: z.string(), message: z.string() }));

/** @returns the result of kstatus for each object */
async function resultsOf(objects: readonly KubeObject[]): Promise<z.output<typeof Results>> {
  const { stdout } = await runToEnd(await findKstatus(), [], { input: JSON.stringify(objects) });
  return Results.parse(JSON.parse(stdout));
}

describe("kstatus", () => {
  it("gives the result of our table for every status of every kind", async () => {
    const results = await resultsOf(healthCases.map(({ object }) => object));
    const statuses = healthCases.map(({ name }, index) => [name, results[index]?.status]);
    expect(Object.fromEntries(statuses)).toEqual(
      Object.fromEntries(healthCases.map(({ name, kstatus }) => [name, kstatus])),
    );
    expect(new Set(statuses.map(([, status]) => status))).toEqual(new Set(["Current", "InProgress", "Failed"]));
  });

  it("gives the message of the condition as the reason of a failure", async () => {
    const failed = healthCases.filter(({ name }) => name === "platformapplication-state-deployment-error");
    const [result] = await resultsOf(failed.map(({ object }) => object));
    expect(result).toMatchObject({
      status: "Failed",
      message: expect.stringMatching(/^The platform reports DEPLOYMENT_ERROR\. /),
    });
  });
});
