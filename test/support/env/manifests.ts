import { parseAllDocuments } from "yaml";
import { z } from "zod";

import type { Simulator } from "../../../simulator/simulator.ts";
import { quickstart } from "../programs/quickstart.ts";
import type { Manifest } from "./cluster.ts";

const Members = z.record(z.string(), z.json());
const Applied = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }).catchall(z.json()),
  spec: Members.optional(),
  stringData: Members.optional(),
});

/**
 * examples/quickstart in another namespace, for this platform.
 * @param rate whether the connection gets a very large budget of requests
 */
export function quickstartIn(namespace: string, platform: Simulator, rate: boolean): readonly Manifest[] {
  const text = quickstart({
    baseUrl: platform.url,
    organizationId: platform.organizationId,
    clusterId: platform.clusterIds[0] ?? "",
    token: platform.tokens.admin,
  });
  const documents = parseAllDocuments(text).map((document) => Applied.parse(document.toJS()));
  const rateLimit = { requestsPerSecond: 1_000, burst: 1_000 };
  return documents
    .filter(({ kind }) => kind !== "Namespace")
    .map(({ metadata, ...manifest }) => ({
      ...manifest,
      metadata: { ...metadata, namespace },
      ...(rate && manifest.kind === "PlatformConnection" && { spec: { ...manifest.spec, rateLimit } }),
    }));
}
