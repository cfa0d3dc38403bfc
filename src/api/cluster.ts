import { z } from "zod";

import { platformValue } from "./fields.ts";

/** What the platform narrows a catalogue by; its list operation wants both parameters or none. */
export const clusterContext = z
  .object({
    mode: platformValue.describe("Cluster mode in the platform's spelling, e.g. CUSTOMER_MANAGED."),
    provider: platformValue.describe("Cloud provider in the platform's spelling, e.g. AWS."),
  })
  .describe(
    "The kind of cluster, which narrows what a template allows: mode and provider, both or none. Nothing is narrowed " +
      "when absent.",
  );
