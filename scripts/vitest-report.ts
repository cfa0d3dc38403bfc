/** vitest's JSON reports, and the second look at files that failed. */
import { existsSync, readFileSync } from "node:fs";

import { z } from "zod";

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()).default([]) }),
      ),
    }),
  ),
});
export type TestFile = z.infer<typeof Report>["testResults"][number];

/** @returns the files of a report; nothing where there is none @throws on one that cannot be read */
export function filesOf(path: string): readonly TestFile[] | undefined {
  return existsSync(path) ? Report.parse(JSON.parse(readFileSync(path, "utf8"))).testResults : undefined;
}

/** Where the second look at a report's files is: "vitest-again.json" of "vitest.json". */
export const againOf = (path: string): string => path.replace(/\.json$/, "-again.json");

/** Whether its set-up failed, or it could not be read at all: no test of it says why. */
export function isNotLoaded(file: TestFile): boolean {
  return file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed");
}
