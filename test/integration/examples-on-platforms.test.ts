/**
 * Every example on every platform: the conditions in which it ends are docs/guides/platforms-examples.md. After a
 * change that is meant, `npx vitest run -u --project integration test/integration/examples-on-platforms.test.ts` writes
 * the page.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { platformNames, type PlatformName } from "../../simulator/base/platforms.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { filesFor, prepareHarness, prerequisites } from "../support/examples/env.ts";

const Status = z.object({
  conditions: z
    .array(
      z.object({
        type: z.string(),
        status: z.string(),
        reason: z.string(),
        message: z.string(),
        observedGeneration: z.number(),
      }),
    )
    .default([]),
});
const conditionsOf = ({ status }: KubeObject) => Status.parse(status).conditions;

/** Whether something is still to happen that waits for no person and no date. */
function isUnderWay(object: KubeObject): boolean {
  const conditions = object.status === undefined ? [] : conditionsOf(object);
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return true;
  // An ingress may be reported one poll later than its application.
  if (conditions.some(({ reason }) => /_QUEUED$|^(?!RUNNING$)[A-Z_]+ING$/.test(reason))) return true;
  const waits = ready.reason === "ApprovalPending" || ready.reason === "OutsideChangeWindow";
  return !waits && conditions.some(({ type, status }) => type === "Reconciling" && status === "True");
}

/** The platform counts services a moment later than it lists them. */
const uncounted = ({ status }: KubeObject) =>
  z
    .looseObject({})
    .transform((all) => ({ ...all, environmentCount: 0, environments: [] }))
    .parse(status);

const PAGE = "../../docs/guides/platforms-examples.md";

/** "kind name" → platform → its conditions, one a line. */
const ends = new Map<string, Map<PlatformName, string>>();

/** Message of what is not Ready → platforms that end so; when a change window opens next is left out. */
const reasons = new Map<string, PlatformName[]>();

const shownEnd = (object: KubeObject): string =>
  conditionsOf(object)
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`)
    .toSorted()
    .join("<br>");

// Its own, as the operators of other files write the status of ClusterPlatformConnections too.
const controlPlane = await ownControlPlane();

describe.each(platformNames)("every example on the platform %s", (name) => {
  const env = createEnv({
    surface: name,
    controlPlane,
    args: ["--webhook-bind-address=127.0.0.1:0"],
  });
  const shared = () => `${env.namespace}-shared`;

  beforeAll(async () => {
    prepareHarness(env);
    await grantSecretOutputs(env);
    await env.apply(...prerequisites(env));
    for (const manifests of filesFor(env)) await env.apply(...manifests);
  }, 60_000);
  afterAll(() => env.remove("ClusterPlatformConnection", shared()));

  const all = async () => {
    const lists = await Promise.all(RESOURCES.map(({ kind }) => env.list(kind)));
    return lists
      .flat()
      .filter(({ kind, metadata }) => kind !== "ClusterPlatformConnection" || metadata.name === shared());
  };

  it("comes to rest, and says for the present generation how it stands", { timeout: 120_000 }, async () => {
    const nothingUnderWay = async (): Promise<void> => {
      const underWay = (await all()).filter((object) => isUnderWay(object));
      expect(underWay.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    };
    await vi.waitFor(nothingUnderWay, { timeout: 60_000, interval: 500 });
    await env.settled();
    // The first read of an ingress follows its deployment, and may find it queued.
    await vi.waitFor(nothingUnderWay, { timeout: 60_000, interval: 500 });
    const objects = await all();
    expect(objects.length).toBeGreaterThan(25);
    for (const object of objects) {
      const ready = conditionsOf(object).find(({ type }) => type === "Ready");
      expect(ready, `${object.kind} ${object.metadata.name}`).toMatchObject({
        observedGeneration: object.metadata.generation,
      });
      const key = `${object.kind} ${object.metadata.name.replace(`${env.namespace}-`, "")}`;
      if (ready?.status !== "True" && ready?.reason !== "OutsideChangeWindow") {
        const message = (ready?.message ?? "").replaceAll(env.namespace, "shop").replace(/plan=[0-9a-f]{16}/, "plan=…");
        const line = `${key}: ${message}`;
        reasons.set(line, [...(reasons.get(line) ?? []), name]);
      }
      ends.set(key, (ends.get(key) ?? new Map<PlatformName, string>()).set(name, shownEnd(object)));
    }
  });

  it("is left as it is by another process that starts over", async () => {
    const before = await all();
    const record = await env.record();
    await env.restart();
    await env.settled();
    const taken = record.changeCalls().filter(({ status }) => status !== null && status < 300);
    expect(taken.map(({ operation }) => operation)).toEqual([]);
    for (const object of await all()) {
      const same = before.find(({ metadata }) => metadata.uid === object.metadata.uid);
      const what = `${object.kind} ${object.metadata.name}`;
      expect(uncounted(object), what).toEqual(same && uncounted(same));
    }
  });

  it("goes when it is deleted, whatever the platform can delete", { timeout: 120_000 }, async () => {
    const record = await env.record();
    const objects = await all();
    for (const { kind, metadata } of objects) if (!kind.endsWith("Connection")) await env.remove(kind, metadata.name);
    await vi.waitFor(
      async () => {
        const left = (await all()).filter(({ kind }) => !kind.endsWith("Connection"));
        expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
      },
      { timeout: 60_000, interval: 500 },
    );
    const sent = Map.groupBy(record.changeCalls(), ({ method, path }) => `${method} ${path}`);
    for (const [what, calls] of sent) expect(calls.length, `${what} is sent once`).toBe(1);
  });
});

it("ends as the page says", async () => {
  const rows = [...ends]
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([key, by]) => `| ${key} | ${platformNames.map((name) => by.get(name) ?? "").join(" | ")} |`);
  const page = [
    "<!-- Generated by vitest run -u --project integration test/integration/examples-on-platforms.test.ts. -->",
    "",
    "# How every example ends, platform by platform",
    "",
    "Each of the [examples](../../examples/README.md) is applied to a simulated platform until nothing changes any more. [What works on which platform](platforms.md) describes documented and full. Beyond the specification, `read-only` has all reads and no writes, `no-delete` has everything except deletions and the stop of applications, and `lists-only` has only lists. The change window of examples/operations.yaml is closed.",
    "",
    `| resource | ${platformNames.join(" | ")} |`,
    `|---|${platformNames.map(() => "---|").join("")}`,
    ...rows,
    "",
    "## What is not Ready, and why",
    "",
    ...[...reasons].map(([line, names]) => `- ${line} (${names.join(", ")})`).toSorted(),
    "",
  ].join("\n");
  await expect(page).toMatchFileSnapshot(PAGE);
});
