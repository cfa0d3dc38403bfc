import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";
import { z } from "zod";

import type { Simulator } from "../../../simulator/simulator.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "./cluster.ts";

const QUICKSTART = join(import.meta.dirname, "../../../examples/quickstart");

/** The values that examples/quickstart marks for replacement. */
const MARKED = {
  baseUrl: "https://platform.example.com",
  organizationId: "00000000-0000-4000-8000-000000000001",
  clusterId: "00000000-0000-4000-8000-000000000002",
  token: "replace-with-an-api-token",
};

const Document = z
  .object({ kind: z.string(), metadata: z.object({ name: z.string() }).catchall(z.json()) })
  .catchall(z.json());

/**
 * @returns the manifests in a stream of YAML documents, without namespaces and without documents that are only comments
 * @throws Error when there is another document
 */
export function manifestsIn(text: string): readonly Manifest[] {
  const documents = parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const value: unknown = document.toJS();
    return value === null ? [] : [Document.parse(value)];
  });
  return documents.filter(({ kind }) => kind !== "Namespace");
}

/**
 * Returns examples/quickstart as one stream of YAML documents, in an order in which they can be applied, with the
 * marked values replaced.
 * @throws Error when a marked value no longer exists
 */
export function quickstart(values: typeof MARKED): string {
  const files = readdirSync(QUICKSTART).filter((name) => name.endsWith(".yaml"));
  const documents = files.toSorted().map((name) => readFileSync(join(QUICKSTART, name), "utf8"));
  return (["baseUrl", "organizationId", "clusterId", "token"] as const).reduce((text, key) => {
    if (!text.includes(MARKED[key])) throw new Error(`examples/quickstart does not mark the ${key}`);
    return text.replaceAll(MARKED[key], JSON.stringify(values[key]));
  }, documents.join("---\n"));
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
