/** What is applied a second time is not changed: no default, no other order, no other form of what was written. */
import { randomUUID } from "node:crypto";

import { afterAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { API_VERSION } from "../../src/api/names.ts";
import { kubectl } from "../control-plane/access.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { examplesApart } from "../support/examples/examples.ts";

const cluster = inject("controlPlane");
const id = randomUUID().slice(0, 8);
const WHO = "--field-manager=gitops";

const Listed = z.object({
  items: z.array(
    z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string(), namespace: z.string().optional() }) }),
  ),
});

const all = examplesApart(`twice-${id}`).map(unique);
const namespaces = listOf(all.filter(({ kind }) => kind === "Namespace"));
const ours = all.filter(({ apiVersion }) => apiVersion === API_VERSION);
const input = listOf(ours);

/** Cluster-scoped ones have a name of this run. */
function unique(manifest: Manifest): Manifest {
  if (manifest.kind !== "ClusterPlatformConnection") return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, name: `${manifest.metadata.name}-${id}` } };
}

function listOf(items: readonly Manifest[]): string {
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

/**
 * What is stored of them, and in which versions; of what is in no namespace only what was applied, as the operators of
 * all tests write its status.
 */
async function stored() {
  const json: unknown = JSON.parse(await kubectl(cluster, ["get", "-f", "-", "-o", "json"], { input }));
  const { items } = Listed.parse(json);
  return {
    content: items.map(({ metadata, status, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, resourceVersion: undefined },
      status: metadata.namespace === undefined ? undefined : status,
    })),
    versions: items.flatMap(({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.resourceVersion])),
  };
}

afterAll(() => kubectl(cluster, ["delete", "--ignore-not-found", "--wait=false", "-f", "-"], { input }));

describe("all examples", { timeout: 240_000 }, () => {
  const ways = [
    ["server-side", ["--server-side", WHO]],
    ["client-side", [WHO]],
  ] as const;

  it.each(effort.few(ways))("applied twice %s are no other than before", async (_how, flags) => {
    const apply = () => kubectl(cluster, ["apply", ...flags, "-f", "-"], { input });
    await kubectl(cluster, ["apply", "-f", "-"], { input: namespaces });
    await apply();
    const first = await stored();
    expect(first.content).toHaveLength(ours.length);
    await apply();
    const second = await stored();
    expect(second.content).toEqual(first.content);
    // The default of the status is shown from the first moment and stored with the second write, whoever makes it. From
    // then on an apply is no write at all.
    await apply();
    expect(await stored()).toEqual(second);
  });
});
