import { z } from "zod";

import { platformValue } from "./fields.ts";

/** The parameters that narrow a catalogue to a cluster; the platform's list operation takes both or none. */
export const clusterContext = z
  .object({
    mode: platformValue.describe("Cluster mode in the platform's spelling, e.g. CUSTOMER_MANAGED."),
    provider: platformValue.describe("Cloud provider in the platform's spelling, e.g. AWS."),
  })
  .describe(
    "The kind of cluster, which narrows what a template allows: mode and provider, both or none. Nothing is narrowed " +
      "when absent.",
  );
