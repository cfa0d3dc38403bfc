import { expect, it, onTestFinished } from "vitest";

import { manualClock } from "../../test/support/kube/clock.ts";
import { scriptedClient } from "../../test/support/kube/scripted-client.ts";
import { KubeError } from "../kube/api/errors.ts";
import type { Json } from "../kube/api/types.ts";
import { createReleases, leaseAnnotations, overlapsOf, type Release } from "./releases.ts";

const NAME = "platform-operator-leader-election";
const NOW = new Date("2026-11-21T10:00:00Z");

/** The lease of a release. @param watches the namespaces that it watches; empty for all */
function lease(namespace: string, watches: readonly string[], ageMs = 1_000, holderIdentity = "pod"): Json {
  const renewTime = new Date(NOW.getTime() - ageMs).toISOString();
  const metadata = { namespace, name: NAME, annotations: leaseAnnotations(watches) };
  return { metadata, spec: { holderIdentity, renewTime } };
}

/** What the release in "own" finds. @param leases the answer to its lists, or their error; a test may replace it */
async function looked(namespaces: readonly string[], leases: readonly Json[] | KubeError) {
  const clock = manualClock(NOW);
  const lines: string[] = [];
  const write = (message: string, fields: object = {}) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const server = { leases };
  const client = scriptedClient(() => {
    if (server.leases instanceof KubeError) throw server.leases;
    return { items: [...server.leases] };
  });
  const log = { trace: write, debug: write, info: write, warn: write, error: write };
  const releases = createReleases({ client, clock, own: { namespace: "own", namespaces }, log });
  await releases.look();
  return { client, clock, lines, releases, server };
}

const release = (namespace: string, watches: readonly string[], more: Partial<Release> = {}): Release => ({
  namespace,
  watches,
  isHeld: true,
  renewedAt: NOW.getTime() - 1_000,
  ...more,
});

it.each<[string, readonly string[], Release, readonly string[] | undefined]>([
  ["some of its namespaces", ["a", "b"], release("other", ["b", "c"]), ["b"]],
  ["other namespaces", ["a"], release("other", ["b"]), undefined],
  ["all namespaces, as it does", ["*"], release("other", ["*"]), ["*"]],
  ["one, while it watches all", ["*"], release("other", ["b"]), ["b"]],
  ["all, while it watches one", ["a"], release("other", ["*"]), ["a"]],
  ["the same, and is this one", ["a"], release("own", ["a"]), undefined],
  ["the same, and released its lease", ["a"], release("other", ["a"], { isHeld: false }), undefined],
  ["the same, six minutes ago", ["a"], release("other", ["a"], { renewedAt: NOW.getTime() - 360_000 }), undefined],
  ["the same, at no valid time", ["a"], release("other", ["a"], { renewedAt: Number.NaN }), undefined],
  ["namespaces that its lease does not name", ["*"], release("other", []), undefined],
])("a release overlaps with one that watches %s only where both reconcile", (_what, watches, other, shared) => {
  const expected = shared === undefined ? [] : [{ namespace: "other", shared }];
  expect(overlapsOf({ namespace: "own", watches }, [other], NOW)).toEqual(expected);
});

it("asks for the leases of its own name alone, which is all that its role allows", async () => {
  const { client } = await looked(["a"], []);
  expect(client.calls).toMatchObject([
    { path: "/apis/coordination.k8s.io/v1/leases", query: { fieldSelector: `metadata.name=${NAME}` } },
  ]);
});

it("takes only names of namespaces from the lease of another release", async () => {
  const { lines } = await looked([], [lease("own", []), lease("other", ["a\nb", "x".repeat(1_000), "shop", ""])]);
  expect(lines).toEqual([expect.stringMatching(/"namespaces":"shop"\}$/)]);
});

it("says once that another release watches the same namespaces, and once that it does not any more", async () => {
  const { clock, lines, releases, server } = await looked(
    ["a", "b"],
    [lease("own", ["a", "b"]), lease("other", ["b"])],
  );
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  void releases.keepLooking(stopping.signal);
  await clock.advance(120_000);
  expect(releases.overlapping()).toBe(1);
  expect(lines).toEqual([
    'another release of the operator watches the same namespaces: both reconcile the same objects {"release":"other","namespaces":"b"}',
  ]);
  server.leases = [lease("own", ["a", "b"])];
  await clock.advance(120_000);
  expect(releases.overlapping()).toBe(0);
  expect(lines.slice(1)).toEqual([
    'another release of the operator does not watch the same namespaces any more {"release":"other"}',
  ]);
});

it.each<[string, number, string, boolean]>([
  ["holds its lease", 1_000, "pod", true],
  ["released its lease during an upgrade", 60_000, "", true],
  ["has not renewed its lease for six minutes", 360_000, "pod", false],
])("a release that %s", async (_what, ageMs, holder, isRunning) => {
  const { releases } = await looked([], [lease("other", [], ageMs, holder)]);
  expect(releases.isRunning("other")).toBe(true);
  await releases.look();
  expect(releases.isRunning("other")).toBe(isRunning);
});

it("a release without a lease does not run, once a later look has not shown it either", async () => {
  const { releases, server } = await looked([], []);
  expect(releases.isRunning("other")).toBe(true);
  await releases.look();
  expect(releases.isRunning("other")).toBe(false);
  server.leases = [lease("other", [])];
  await releases.look();
  expect(releases.isRunning("other")).toBe(true);
});

it("counts every release as running while the leases may not be listed, and says so once", async () => {
  const { lines, releases } = await looked([], new KubeError("Forbidden", 403, "no"));
  await releases.look();
  expect(releases.isRunning("other")).toBe(true);
  expect(lines).toHaveLength(1);
});
