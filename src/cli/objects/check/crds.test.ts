import { describe, expect, it } from "vitest";
import { z } from "zod";

import { RESOURCES } from "../../../kinds/index.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { KubeRequest } from "../../../kube/api/transport.ts";
import type { Json, KubeFailure } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { checkCrds } from "./installation.ts";

const fail = (failure: KubeFailure): never => {
  throw new KubeError(failure, 0, failure);
};

/** Returns a cluster that answers with these CRDs. */
function having(answer: (request: KubeRequest) => unknown): ClusterClient {
  const request = async (one: KubeRequest): Promise<Json> => (await answer(one)) as Json;
  return { client: { request } } as unknown as ClusterClient;
}

/** Returns the CRD of a plural, as this program generates it, without the fields in `without`. */
function crd(path: string, without: readonly string[] = []): unknown {
  const resource = RESOURCES.find(({ plural }) => path.endsWith(`/${plural}.platform-operator.io`));
  if (resource === undefined) return fail("NotFound");
  const spec = z.toJSONSchema(resource.spec, { io: "input", reused: "inline", unrepresentable: "any" }) as {
    properties: Record<string, unknown>;
  };
  const properties = Object.fromEntries(Object.entries(spec.properties).filter(([name]) => !without.includes(name)));
  const status = { properties: Object.fromEntries(Object.keys(resource.status.shape).map((name) => [name, {}])) };
  const openAPIV3Schema = { properties: { spec: { properties }, status } };
  return { spec: { versions: [{ name: "v1alpha1", schema: { openAPIV3Schema } }] } };
}

describe("the check of CRDs", () => {
  it.each<[string, ClusterClient, object]>([
    [
      "that are current",
      having(({ path }) => crd(path)),
      { is: "ok", detail: `all ${RESOURCES.length} are installed and current` },
    ],
    [
      "that are older",
      having(({ path }) => crd(path, path.includes("platformprojects") ? ["description"] : [])),
      {
        is: "failed",
        detail: expect.stringMatching(
          /^they are older than this program: PlatformProject\.spec\.description are missing/,
        ),
      },
    ],
    [
      "of which one is missing",
      having(({ path }) => (path.includes("platformprojects") ? fail("NotFound") : crd(path))),
      { is: "failed", detail: expect.stringMatching(/^platformprojects are missing\. Apply the CRDs/) },
    ],
    [
      "that may not be read",
      having(({ path }) =>
        path.startsWith("/apis/apiextensions")
          ? fail("Forbidden")
          : { resources: RESOURCES.map(({ plural }) => ({ name: plural })) },
      ),
      { is: "unknown", detail: expect.stringContaining("you may not check whether they are current") },
    ],
    [
      "that may not be read, and are not served",
      having(({ path }) => fail(path.startsWith("/apis/apiextensions") ? "Forbidden" : "NotFound")),
      { is: "failed", detail: expect.stringMatching(/^none of them is installed/) },
    ],
  ])("%s", async (_what, cluster, finding) => {
    expect(await checkCrds(cluster)).toEqual([{ what: "CRDs", ...finding }]);
  });
});
