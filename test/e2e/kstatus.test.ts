/** Flux waits by kstatus: what kstatus itself says of every status that the operator writes. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { healthCases } from "../support/health/index.ts";
import { findKstatus } from "../tools/kstatus.ts";

const Verdicts = z.array(z.object({ status: z.string(), message: z.string() }));

let program: string;

beforeAll(async () => {
  program = await findKstatus();
});

/** What kstatus says of each. */
async function judged(objects: readonly KubeObject[]): Promise<z.output<typeof Verdicts>> {
  const running = promisify(execFile)(program, { maxBuffer: 16 * 1024 * 1024 });
  running.child.stdin?.end(JSON.stringify(objects));
  return Verdicts.parse(JSON.parse((await running).stdout));
}

describe("kstatus", () => {
  it("says of every status of every kind what our table says", async () => {
    const verdicts = await judged(healthCases.map(({ object }) => object));
    const said = healthCases.map(({ name }, index) => [name, verdicts[index]?.status]);
    expect(Object.fromEntries(said)).toEqual(
      Object.fromEntries(healthCases.map(({ name, kstatus }) => [name, kstatus])),
    );
    expect(new Set(said.map(([, status]) => status))).toEqual(new Set(["Current", "InProgress", "Failed"]));
  });

  it("gives the message of the condition as the reason of a failure", async () => {
    const failed = healthCases.filter(({ name }) => name === "platformapplication-state-deployment-error");
    const [verdict] = await judged(failed.map(({ object }) => object));
    expect(verdict).toMatchObject({
      status: "Failed",
      message: expect.stringMatching(/^The platform reports DEPLOYMENT_ERROR\. /),
    });
  });

  it("takes what is being deleted for that", async () => {
    const deleted = healthCases.map(({ object }) => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: "2026-11-21T10:00:00Z" },
    }));
    expect(new Set((await judged(deleted)).map(({ status }) => status))).toEqual(new Set(["Terminating"]));
  });
});
