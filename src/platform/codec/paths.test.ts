import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyId, HOSTILE_IDS } from "../../../test/support/hostile/ids.ts";
import { ApiError } from "../transport/errors.ts";
import { type OperationName, operations } from "./operations.ts";
import { buildPath, isPlainId, isUuidOfAnyCase } from "./paths.ts";

const names = Object.keys(operations) as OperationName[];
const BASE = "https://platform.example/api/v1";
const ID = "0f0e0d0c-0b0a-4908-8706-050403020100";

function placeholders(name: OperationName): string[] {
  return [...operations[name].path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key ?? "");
}

describe("[E1] buildPath", () => {
  it("returns exactly the segments of the template, or refuses the ids", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(anyId, { minLength: 3, maxLength: 3 }), (name, ids) => {
        const given = Object.fromEntries(placeholders(name).map((key, index) => [key, ids[index] ?? ""]));
        const path = refusedOr(() => buildPath(name, given));
        if (path === undefined) return;
        const built = new URL(BASE + path);
        const expected = operations[name].path.split("/").map((part) => given[part.slice(1, -1)] ?? part);
        expect(built.pathname.slice("/api/v1".length).split("/").map(decodeURIComponent)).toEqual(expected);
        expect(built.search + built.hash).toBe("");
      }),
      { numRuns: 2000 },
    );
  });

  it.each(HOSTILE_IDS)("refuses %j for every operation", (hostile) => {
    for (const name of names.filter((candidate) => placeholders(candidate).length > 0)) {
      // As a plain string these are harmless: they are one encoded segment.
      if (name === "getClusterToken" && isPlainId(hostile)) continue;
      const ids = Object.fromEntries(placeholders(name).map((key) => [key, hostile]));
      const path = refusedOr(() => buildPath(name, ids));
      expect(path, name).toBeUndefined();
    }
  });

  it("refuses missing ids", () => {
    expect(refusedOr(() => buildPath("getProject", {}))).toBeUndefined();
  });

  it("names the placeholder of a refused id, and not its value", () => {
    const build = () => buildPath("getProject", { projectId: "s3cret/.." });
    expect(build).toThrow(new ApiError("getProject", { is: "Refused" }, 0, "projectId is not a UUID"));
  });

  it("accepts any plain text as the cluster of a token", () => {
    expect(buildPath("getClusterToken", { clusterId: "prod eu:1%2e" })).toBe("/cluster/prod%20eu%3A1%252e/token");
  });

  it("accepts the three service types in either case", () => {
    const path = (serviceType: string) => () => buildPath("getIngressStatus", { serviceType, serviceId: ID });
    expect(path("application")()).toBe(`/application/${ID}/ingressDeploymentStatus`);
    expect(path("HELM")()).toBe(`/HELM/${ID}/ingressDeploymentStatus`);
    expect(path("database")).toThrow(ApiError);
    expect(path(ID)).toThrow(ApiError);
  });
});

it("isUuidOfAnyCase accepts upper and lower case, and nothing before, after or missing in a UUID", () => {
  const valid = [ID, ID.toUpperCase(), "00000000-0000-0000-0000-000000000000"];
  expect(valid.filter(isUuidOfAnyCase)).toEqual(valid);
  const invalid = [`${ID}0`, `${ID}\n`, `{${ID}}`, ID.replaceAll("-", "")];
  expect(invalid.filter(isUuidOfAnyCase)).toEqual([]);
});

/** Returns undefined for a refusal, and rethrows any other error. */
function refusedOr(build: () => string): string | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof ApiError && error.failure.is === "Refused") return undefined;
    throw error;
  }
}
