/** The result of kstatus, which Flux uses to wait, for every status that the operator writes. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { healthCases } from "../support/health/index.ts";
import { findKstatus } from "../tools/kstatus.ts";

const Results = z.array(z.object({ status: z.string(), message: z.string() }));

let program: string;

beforeAll(async () => {
  program = await findKstatus();
});

/** @returns the result of kstatus for each object */
async function resultsOf(objects: readonly KubeObject[]): Promise<z.output<typeof Results>> {
  const running = promisify(execFile)(program, { maxBuffer: 16 * 1024 * 1024 });
  running.child.stdin?.end(JSON.stringify(objects));
  return Results.parse(JSON.parse((await running).stdout));
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

  it("gives Terminating for an object that is being deleted", async () => {
    const deleted = healthCases.map(({ object }) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: "2026-11-21T10:00:00Z" },
    }));
    expect(new Set((await resultsOf(deleted)).map(({ status }) => status))).toEqual(new Set(["Terminating"]));
  });
});
