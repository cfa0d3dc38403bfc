/** The result of kstatus, which Flux uses to wait, for every status that the operator writes. */
import { expect, it } from "vitest";
import { z } from "zod";

import { healthCases } from "../health/cases.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findKstatus } from "../tools/kstatus.ts";

const Results = z.array(z.object({ status: z.string() }));

it("kstatus gives the result of test/health/cases.ts for every status of every kind", async () => {
  const input = JSON.stringify(healthCases.map(({ object }) => object));
  const { stdout } = await runToEnd(await findKstatus(), [], { input });
  const results = Results.parse(JSON.parse(stdout));
  const statuses = healthCases.map(({ name }, index) => [name, results[index]?.status]);
  expect(Object.fromEntries(statuses)).toEqual(
    Object.fromEntries(healthCases.map(({ name, kstatus }) => [name, kstatus])),
  );
  expect(new Set(statuses.map(([, status]) => status))).toEqual(new Set(["Current", "InProgress", "Failed"]));
});
