import { describe, expect, it } from "vitest";
import { z } from "zod";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { stored } from "../../../../test/support/kube/stored.ts";
import { FINALIZER } from "../../../api/names.ts";
import { RESOURCES } from "../../../kinds/index.ts";
import { KubeError } from "../../../kube/api/errors.ts";
import type { Json, JsonObject, KubeFailure, KubeObject } from "../../../kube/api/types.ts";
import type { ClusterClient } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { checkCrds, checkOperator, checkReleases, checkUninstall } from "./installation.ts";

const fail = (failure: KubeFailure): never => {
  throw new KubeError(failure, 0, failure);
};

/** A cluster with these answers to the requests of paths. */
function answering(answer: (path: string) => unknown): ClusterClient {
  const request = async ({ path }: { readonly path: string }): Promise<Json> => answer(path) as Json;
  return { client: { request } } as unknown as ClusterClient;
}

/** The CRD of a plural, as this program generates it, without a field of the spec. */
function crd(path: string, without = ""): unknown {
  const resource = RESOURCES.find(({ plural }) => path.endsWith(`/${plural}.platform-operator.io`));
  if (resource === undefined) return fail("NotFound");
  const spec = z.toJSONSchema(resource.spec, { io: "input", reused: "inline", unrepresentable: "any" }) as {
    properties: Record<string, unknown>;
  };
  const properties = Object.fromEntries(Object.entries(spec.properties).filter(([name]) => name !== without));
  const status = { properties: Object.fromEntries(Object.keys(resource.status.shape).map((name) => [name, {}])) };
  const openAPIV3Schema = { properties: { spec: { properties }, status } };
  return { spec: { versions: [{ name: "v1alpha1", schema: { openAPIV3Schema } }] } };
}
const isOfProjects = (path: string) => path.includes("platformprojects");
const isCrd = (path: string) => path.startsWith("/apis/apiextensions");
const served = { resources: RESOURCES.map(({ plural }) => ({ name: plural })) };
const older = (path: string) => crd(path, isOfProjects(path) ? "description" : "");
const incomplete = (path: string) => (isOfProjects(path) ? fail("NotFound") : crd(path));
const hidden = (path: string) => (isCrd(path) ? fail("Forbidden") : served);
const absent = (path: string) => fail(isCrd(path) ? "Forbidden" : "NotFound");

it.each<[string, (path: string) => unknown, string, RegExp]>([
  ["are installed and current", crd, "ok", new RegExp(`^all ${RESOURCES.length} are installed and current$`)],
  [
    "lack a field of this program",
    older,
    "failed",
    /^they are older than this program: PlatformProject\.spec\.description are missing/,
  ],
  ["lack a kind", incomplete, "failed", /^platformprojects are missing\. Apply the CRDs/],
  ["are served and may not be read", hidden, "unknown", /you may not check whether they are current/],
  ["are not served and may not be read", absent, "failed", /^none of them is installed/],
])("the check of CRDs that %s", async (_what, answer, is, detail) => {
  const finding = { what: "CRDs", is, detail: expect.stringMatching(detail) };
  expect(await checkCrds(answering(answer))).toEqual([finding]);
});

describe("the check of the operator", () => {
  const clock = manualClock();
  const operatorNamespace = "platform-operator";
  const check = (answer: () => Json) => checkOperator({ cluster: answering(answer), operatorNamespace, clock });
  const lease = (holderIdentity: string, ageMs: number): Json => {
    const renewTime = new Date(clock.now().getTime() - ageMs).toISOString();
    return { spec: { holderIdentity, leaseDurationSeconds: 15, renewTime } };
  };

  it.each<[string, () => Json, string, RegExp]>([
    ["passes while a pod holds the lease", () => lease("pod-1", 2_000), "ok", /^pod-1 leads$/],
    ["passes while the lease is a minute old, as clocks differ", () => lease("pod-1", 60_000), "ok", /^pod-1 leads$/],
    [
      "fails when the lease has not been renewed for minutes",
      () => lease("pod-1", 300_000),
      "failed",
      /^pod-1 has not renewed the lease for 5m\. Check/,
    ],
    ["fails when the last holder released the lease", () => lease("", 1_000), "failed", /^nobody holds the lease/],
    [
      "fails when the lease has an invalid time",
      () => ({ spec: { holderIdentity: "x", renewTime: "soon" } }),
      "failed",
      /^x has not renewed/,
    ],
    ["fails when there is no lease", () => fail("NotFound"), "failed", /^there is no lease .* Install it/],
    ["is open when the user may not read the lease", () => fail("Forbidden"), "unknown", /^you may not see its lease/],
  ])("%s", async (_what, answer, is, detail) => {
    expect(await check(answer)).toEqual([{ what: "operator", is, detail: expect.stringMatching(detail) }]);
  });

  it("ends the command when the API server cannot be reached", async () => {
    await expect(check(() => fail("Unreachable"))).rejects.toThrow(KubeError);
  });
});

describe("the check of other releases", () => {
  const clock = manualClock();
  const lease = (namespace: string, watches: string): Json => ({
    metadata: {
      namespace,
      name: "platform-operator-leader-election",
      annotations: { "platform-operator.io/watch-namespaces": watches },
    },
    spec: { holderIdentity: "pod", renewTime: clock.now().toISOString() },
  });
  const check = (answer: () => Json) =>
    checkReleases({ cluster: answering(answer), operatorNamespace: "platform-operator", clock });
  const own = lease("platform-operator", "shop,a,b,c,d");

  it.each<[string, () => Json, string, RegExp]>([
    ["passes without another one", () => ({ items: [own] }), "ok", /^none in this cluster watches the same/],
    [
      "fails with one that watches a namespace of this one",
      () => ({ items: [own, lease("old", "*"), lease("far", "elsewhere")] }),
      "failed",
      /^the operator in namespace "old" also watches shop, a, b and 2 more\. Uninstall one, or/,
    ],
    [
      "fails with one that watches all, as this one does",
      () => ({ items: [lease("platform-operator", "*"), lease("old", "*")] }),
      "failed",
      /^the operator in namespace "old" also watches all namespaces\./,
    ],
  ])("%s", async (_what, answer, is, detail) => {
    expect(await check(answer)).toEqual([{ what: "other releases", is, detail: expect.stringMatching(detail) }]);
  });

  it("says nothing to a user who may not list leases", async () => {
    expect(await check(() => fail("Forbidden"))).toEqual([]);
  });
});

describe("the check before an uninstall", () => {
  const ours: Partial<KubeObject["metadata"]> = { finalizers: [FINALIZER] };
  const application = (lifecycle: JsonObject, metadata = ours): KubeObject =>
    stored("PlatformApplication", "a", { spec: { lifecycle }, metadata });
  /** Checks a cluster that has only these applications. */
  async function check(namespace: string, applications: () => readonly KubeObject[]) {
    const asked = new Set<string | undefined>();
    const list: ClusterClient["list"] = async (kind, of) => {
      asked.add(of);
      return kind === "PlatformApplication" ? applications() : [];
    };
    const findings = await checkUninstall({ list } as ClusterClient, namespace);
    expect([...asked]).toEqual([namespace]);
    return findings;
  }
  const ADVICE = "Delete it while the operator runs, or set spec.lifecycle.deletionPolicy to Retain.";
  const retained = "the operator has not removed the finalizer yet. It does so while it runs.";
  const waiting = "it is being deleted and waits for the operator. Its conditions show the reason.";
  const deletes = { deletionPolicy: "Delete" };
  const going = application(deletes, { ...ours, deletionTimestamp: "2026-11-21T10:00:00Z" });

  it.each<[string, KubeObject, string]>([
    [
      "would be deleted on the platform",
      application(deletes),
      `Delete: deleting it also deletes it on the platform. ${ADVICE}`,
    ],
    [
      "would be stopped on the platform",
      application({ deletionPolicy: "Stop" }),
      `Stop: deleting it stops it on the platform. ${ADVICE}`,
    ],
    [
      "has no deletion policy of its own",
      application({}),
      `as its connection says: deleting it changes the platform. ${ADVICE}`,
    ],
    [
      "has changed to Retain and still has the finalizer",
      application({ deletionPolicy: "Retain" }),
      `Retain: ${retained}`,
    ],
    ["is being deleted already", going, `Delete: ${waiting}`],
  ])("reports an object that %s", async (_what, object, detail) => {
    const finding = { what: "PlatformApplication shop/a", is: "failed", detail: `deletionPolicy ${detail}` };
    expect(await check("", () => [object])).toEqual([finding]);
  });

  it("says of a connection that the resources which need it go first", async () => {
    const list: ClusterClient["list"] = async (kind) =>
      kind === "PlatformConnection" ? [stored(kind, "default", { metadata: ours })] : [];
    const [finding] = await checkUninstall({ list } as ClusterClient, "");
    const detail =
      "resources need it for their deletion. Delete those first, while the operator runs; it removes the finalizer then.";
    expect(finding).toEqual({ what: "PlatformConnection shop/default", is: "failed", detail });
  });

  const none = (count: number): string =>
    `none of ${count} objects in namespace "shop" has one: deleting them does not change the platform`;
  const foreign = [application({}, {}), application({}, { finalizers: ["x.io/y"] })];
  const unknownKind = (): never => {
    throw new CliError("The cluster does not know platformapplications.");
  };
  it.each<[string, () => readonly KubeObject[], string, string]>([
    ["passes when no object has the operator's finalizer", () => foreign, "ok", none(2)],
    ["passes when the cluster does not have the kind", unknownKind, "ok", none(0)],
    [
      "is open when the user may not list the objects",
      () => fail("Forbidden"),
      "unknown",
      "you may not list platformapplications",
    ],
  ])("%s", async (_what, applications, is, detail) => {
    expect(await check("shop", applications)).toEqual([{ what: "finalizers", is, detail }]);
  });

  it("ends the command when the API server cannot be reached", async () => {
    await expect(check("", () => fail("Unreachable"))).rejects.toThrow(KubeError);
  });
});
