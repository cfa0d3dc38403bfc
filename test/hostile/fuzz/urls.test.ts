/** No id and no name leads a request to another URL than that of its operation. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { TYPES } from "../../../src/config/kinds.ts";
import {
  EVENT,
  CONFIG_MAP,
  collectionPath,
  LEASE,
  NAMESPACE,
  objectPath,
  SECRET,
} from "../../../src/kube/api/paths.ts";
import { createReader } from "../../../src/kube/watch/readers.ts";
import { operations } from "../../../src/platform/codec/operations.ts";
import { isPlainId, isUuidOfAnyCase } from "../../../src/platform/codec/paths.ts";
import { ApiError } from "../../../src/platform/transport/errors.ts";
import { effort } from "../../support/env/effort.ts";
import { anyId, HOSTILE_IDS } from "../../support/hostile/ids.ts";
import { manualClock } from "../../support/kube/clock.ts";
import { scriptedClient } from "../../support/kube/scripted-client.ts";
import { ORGANIZATION } from "../../support/platform/client.ts";
import { figure } from "../../support/platform/figure.ts";
import { casesOf, documented, full } from "../../support/platform/operations.ts";
import { answerOf, emptyPlatform, memoryPlatform } from "./empty-platform.ts";

const options = { seed: effort.seed, numRuns: effort.cases(1_000, 100_000) };
const timeout = effort.cases(30_000, 3_600_000);
const cases = [...casesOf(documented), ...casesOf(full)];
/** The operations with a caller's id in their path. */
const withIds = cases.filter(([name]) => placeholders(operations[name].path).some((key) => key !== "organizationId"));

describe("[E1] a URL of the platform", { timeout }, () => {
  it("has exactly the segments of its operation's template for any id, or nothing is sent", async ({ task }) => {
    const { platform, taken } = memoryPlatform(() => answerOf(200, "{}"));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cases), anyId, async ([name, { call }], id) => {
        const result = await call(platform, emptyPlatform(id)).catch((error: unknown) => error);
        expect(result instanceof ApiError ? undefined : result).not.toBeInstanceOf(Error);
        for (const { url } of taken()) {
          expect(url).toMatch(/^https:\/\/platform\.example\/api\/v1\//);
          // The whole API spells the type of a service, which begins the path, in upper case.
          const [first = "", ...rest] = pathOf(url);
          const isType = name === "getIngressStatus";
          expect([isType ? first.toLowerCase() : first, ...rest]).toEqual(segmentsOf(operations[name].path, id));
        }
      }),
      options,
    );
    figure(task, `${cases.length} operations, no request left its path`, options.numRuns);
  });

  it("is not requested with a hostile id", async ({ task }) => {
    const { platform, taken } = memoryPlatform(() => answerOf(200, "{}"));
    for (const id of HOSTILE_IDS) {
      for (const [name, { call }] of withIds) {
        // Its case uses another name; the next test covers it.
        if (name === "getClusterToken") continue;
        const sent = call(platform, emptyPlatform(id));
        const refused = { failure: { is: "Refused" }, status: 0 };
        await expect(sent, `${name} ${JSON.stringify(id)}`).rejects.toMatchObject(refused);
      }
    }
    expect(taken()).toEqual([]);
    figure(task, "0 requests sent", HOSTILE_IDS.length * withIds.length);
  });

  it("has the plain id of a cluster's token as one segment, or nothing is sent", async () => {
    const { platform, taken } = memoryPlatform(() => answerOf(200, "{}"));
    for (const id of HOSTILE_IDS) {
      await platform.clusters.token(id).catch(() => {});
      const sent = taken();
      expect(sent).toHaveLength(isPlainId(id) ? 1 : 0);
      for (const { url } of sent) expect(pathOf(url)).toEqual(["cluster", id, "token"]);
    }
  });

  it("is not built for an organization with a hostile id", () => {
    for (const organizationId of HOSTILE_IDS) {
      expect(() => memoryPlatform(() => answerOf(200, "{}"), { organizationId })).toThrow(ApiError);
    }
  });
});

describe("[E1] a URL of the API server", { timeout }, () => {
  const types = [...TYPES, SECRET, CONFIG_MAP, NAMESPACE, LEASE, EVENT];

  it("has namespace and name as one segment each, or is not built", ({ task }) => {
    const subresource = fc.constantFrom(undefined, "status" as const);
    fc.assert(
      fc.property(fc.constantFrom(...types), anyId, anyId, subresource, (type, namespace, name, part) => {
        const key = { namespace: type.namespaced ? namespace : "", name };
        const built = pathOrNone(() => objectPath(type, key, part));
        if (built === undefined) return;
        const tail = [type.plural, name, ...(part === undefined ? [] : [part])];
        const within = type.namespaced ? ["namespaces", namespace, ...tail] : tail;
        const url = new URL(built, "https://cluster.example");
        expect(url.pathname.split("/").slice(type.group === "" ? 3 : 4)).toEqual(within);
        expect(url.search + url.hash + url.host).toBe("cluster.example");
      }),
      options,
    );
    figure(task, `${types.length} types, no path left its object`, options.numRuns);
  });

  it("is not built for hostile names, and nothing is requested", async ({ task }) => {
    const client = scriptedClient(() => ({}));
    const reader = createReader(client, manualClock());
    for (const hostile of HOSTILE_IDS) {
      const built = types.flatMap((type) => [
        pathOrNone(() => objectPath(type, { namespace: type.namespaced ? "shop" : "", name: hostile })),
        type.namespaced ? pathOrNone(() => objectPath(type, { namespace: hostile, name: "api" })) : undefined,
        // An empty namespace means all namespaces.
        type.namespaced && hostile !== "" ? pathOrNone(() => collectionPath(type, hostile)) : undefined,
      ]);
      expect(built.filter((path) => path !== undefined)).toEqual([]);
      await expect(reader.secret("shop", hostile, 0)).rejects.toThrow("DNS-1123");
      await expect(reader.configMap(hostile, "token", 0)).rejects.toThrow("namespace");
    }
    expect(client.calls).toEqual([]);
    figure(task, "0 requests sent", HOSTILE_IDS.length * types.length);
  });
});

function placeholders(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
}

/** @returns the allowed segments of a path on the platform, where all ids of the caller are `id` */
function segmentsOf(template: string, id: string): readonly string[] {
  const known: Readonly<Record<string, string>> = {
    "{organizationId}": ORGANIZATION,
    "{serviceType}": "application",
    ...(template.endsWith("/token") && { "{clusterId}": "production" }),
  };
  const parts = template.split("/").slice(1);
  return parts.map((part) => known[part] ?? (part.startsWith("{") && isUuidOfAnyCase(id) ? id : part));
}

function pathOf(url: string): readonly string[] {
  const { pathname, hash, username } = new URL(url);
  expect(hash + username).toBe("");
  return pathname.slice("/api/v1/".length).split("/").map(decodeURIComponent);
}

/** @returns undefined when it was refused */
function pathOrNone(build: () => string): string | undefined {
  try {
    return build();
  } catch {
    return undefined;
  }
}
