/** The last PlatformOperation on an object that another resource represents. */
import { z } from "zod";

import { id, text, time } from "./status.ts";

export const lastOperation = z
  .object({
    name: text.describe("Namespace and name of the PlatformOperation."),
    operation: text.describe("The operation of the platform's API, e.g. stopDatabase."),
    startedAt: time.describe("When it was requested."),
    requestId: id.optional().describe("The platform's id of the deployment request; absent when it gave none."),
    gitCommitId: text.optional().describe("Commit that was to be deployed."),
    result: z
      .enum(["Completed", "Accepted", "Failed", "Unknown"])
      .optional()
      .describe("How it ended, as far as the PlatformOperation shows it."),
  })
  .describe("What a PlatformOperation last did to it.");

export type LastOperation = z.output<typeof lastOperation>;
