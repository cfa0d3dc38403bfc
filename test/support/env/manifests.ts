import { parseAllDocuments } from "yaml";
import { z } from "zod";

import type { Simulator } from "../../../simulator/simulator.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { quickstart } from "../programs/quickstart.ts";
import type { Manifest } from "./cluster.ts";

const Document = z
  .object({ kind: z.string(), metadata: z.object({ name: z.string() }).catchall(z.json()) })
  .catchall(z.json());

export function manifestsIn(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text).map((document) => Document.parse(document.toJS()));
  return documents.filter(({ kind }) => kind !== "Namespace");
}

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
  const rateLimit = { requestsPerSecond: 1_000, burst: 1_000 };
  return manifestsIn(text).map(({ metadata, ...manifest }) => {
    const spec = manifest["spec"] as JsonObject;
    return {
      ...manifest,
      metadata: { ...metadata, namespace },
      ...(rate && manifest.kind === "PlatformConnection" && { spec: { ...spec, rateLimit } }),
    };
  });
}
