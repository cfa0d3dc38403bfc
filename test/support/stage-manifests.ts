import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";
import { z } from "zod";

import type { Simulator } from "../../src/simulator/simulator.ts";
import type { Manifest } from "./cluster.ts";
import { quickstart } from "./quickstart.ts";

const Rights = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  roleRef: z.looseObject({ kind: z.string(), name: z.string() }).optional(),
  subjects: z.array(z.looseObject({ namespace: z.string() })).optional(),
});

const Members = z.record(z.string(), z.json());
const Applied = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }).catchall(z.json()),
  spec: Members.optional(),
  stringData: Members.optional(),
});

/** deploy/rbac/operator.yaml for another namespace; its cluster-scoped objects are named after that. */
export function rightsIn(namespace: string): readonly unknown[] {
  const text = readFileSync(join(import.meta.dirname, "../../deploy/rbac/operator.yaml"), "utf8");
  return parseAllDocuments(text).map((document) => {
    const { metadata, roleRef, subjects, ...rest } = Rights.parse(document.toJS());
    const moved = metadata.namespace === undefined ? { name: namespace } : { namespace };
    return {
      ...rest,
      metadata: { ...metadata, ...moved },
      ...(roleRef && { roleRef: roleRef.kind === "ClusterRole" ? { ...roleRef, name: namespace } : roleRef }),
      ...(subjects && { subjects: subjects.map((subject) => ({ ...subject, namespace })) }),
    };
  });
}

/**
 * examples/quickstart in another namespace, for this platform.
 * @param rate whether the connection gets a budget of requests that no test reaches
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
