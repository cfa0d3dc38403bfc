import { describe, expect, it } from "vitest";

import { createKinds, type KindName } from "../../src/kinds/index.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { SAMPLES } from "../samples/index.ts";
import { ID, OTHER_ID, type Place, type Sample } from "../samples/sample.ts";

const platform = { url: "https://platform.example.com", organizationId: ID, clusterIds: [ID, OTHER_ID] as const };
const tokens = { admin: "", read: "", write: "", deploy: "", foreign: "" };
const place: Place = { env: { platform: { ...platform, tokens } }, name: "one", tree: "tree" };
const KINDS = createKinds();
const samples = Object.entries(SAMPLES) as [KindName, Sample][];
const issues = (kind: KindName, spec: unknown) => KINDS[kind].resource.spec.safeParse(spec).error?.issues;

describe("the sample", () => {
  it.each(samples)("of %s is of that kind, and its specs are valid", (kind, sample) => {
    for (const manifest of [sample.good(place), sample.hostile(place)]) {
      expect(manifest.kind).toBe(kind);
      expect(issues(kind, manifest["spec"])).toBeUndefined();
    }
  });

  it.each(samples)("of %s changes its spec where the kind writes", (kind, sample) => {
    const spec = sample.good(place)["spec"] as JsonObject;
    const change = sample.change?.(place);
    // The spec of an operation is immutable as a whole.
    expect(change !== undefined).toBe(sample.writes.length > 0 && kind !== "PlatformOperation");
    expect(issues(kind, { ...spec, ...change })).toBeUndefined();
    expect({ ...spec, ...(change ?? { changed: true }) }).not.toEqual(spec);
  });
});
