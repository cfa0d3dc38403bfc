import { describe, expect, it, vi } from "vitest";

import { platformWith } from "../../../test/support/kinds/platform.ts";
import {
  type Change,
  deployment,
  inputsWith,
  NOW,
  openDeployment,
  OTHER_COMMIT,
  contextWith,
  print,
  REQUEST,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

const other = { deploy: { gitCommitId: OTHER_COMMIT } };
const imported = inputsWith([{ name: "A", value: "b", isSecret: false }], print("other"));

const minutes = (after: number): Date => new Date(NOW.getTime() + after * 60_000);
/** The last deployment ended this many minutes from now. */
const endedAt = (after: number) => ({ lastDeployment: deployment({ finishedAt: minutes(after).toISOString() }) });

/** A platform without lists, and the reads that it received. */
function documented(answers: { readonly request?: string; readonly state?: string; readonly serverNow?: Date }) {
  const reads: string[] = [];
  const read = <T>(name: string, value: T): Promise<T> => {
    reads.push(name);
    return Promise.resolve(value);
  };
  const api = platformWith({
    applications: { status: () => read("status", statusOf(answers.state ?? "DEPLOYED")) },
    deployments: { status: () => read("request", { deploymentRequestId: REQUEST, status: answers.request ?? "" }) },
    variables: { list: () => read("variables", []) },
    secrets: { list: () => read("secrets", []) },
    services: { ingressStatus: () => read("ingress", { routerId: REQUEST, status: "DEPLOYED" }) },
    serverNow: () => answers.serverNow,
  });
  return {
    api,
    reads,
    observe: async (change: Change): Promise<Observed> =>
      application.observe(contextWith({ surface: "Documented", ...change }), api),
  };
}

describe("the reads of an application that the platform does not list", () => {
  const following = { memory: { lastDeployment: openDeployment() } };

  it.each([
    ["runs", "BUILDING", ["request"]],
    ["succeeded", "DEPLOYED", ["request"]],
    ["failed, perhaps for another service", "BUILD_ERROR", ["request", "status", "ingress"]],
  ])("while its request %s", async (_name, request, expected) => {
    const { observe, reads } = documented({ request });
    const { status } = await observe(following);
    expect(reads).toEqual(expected);
    expect(status?.state).toBe(request === "BUILD_ERROR" ? "DEPLOYED" : request);
  });

  const ingress = { status: "DEPLOYED" };
  const written = { writtenAt: "2026-11-21T10:00:01.000Z" };

  it.each<[string, Change, string, readonly string[]]>([
    ["a variable set wrote to it meanwhile", written, "DEPLOYED", ["request", "status"]],
    ["a variable set wrote to it and it still runs", written, "BUILDING", ["request"]],
    ["the commit changed meanwhile", { spec: other }, "DEPLOYED", ["request", "status"]],
    ["it is to be stopped", { spec: { runState: "Stopped" } }, "DEPLOYED", ["request", "status"]],
    ["variables are to be imported", { inputs: imported }, "DEPLOYED", ["request", "status"]],
  ])("include the baseline of the next request, where %s", async (_name, change, request, expected) => {
    const { observe, reads } = documented({ request });
    await observe({ memory: { lastDeployment: openDeployment({ variablesAt: "" }) }, ...change });
    expect(reads.filter((name) => name === "request" || name === "status")).toEqual(expected);
  });

  it("are all sent when the user asks for it, but that of the ingress of what does not run", async () => {
    const { observe, reads } = documented({ request: "DEPLOYED" });
    await observe({ ...following, requested: "now" });
    expect(reads).toEqual(["request", "status", "ingress"]);
    const stopped = documented({ state: "STOPPED" });
    await stopped.observe({ requested: "now" });
    expect(stopped.reads).toEqual(["status"]);
  });

  it("show the ingress after a deployment, ten minutes after it for the last time, and the remembered one then", async () => {
    const { observe, reads } = documented({});
    const count = () => reads.filter((name) => name === "ingress").length;
    const memory = { ...endedAt(0), written: { settings: {} } };
    const shown: number[] = [];
    for (const after of [0, 1, 1.5, 2, 3, 11, 21]) {
      const remembered = { ...memory, ingress: { status: "DEPLOYED" } };
      const { ingress } = await observe({ memory: remembered, now: minutes(after) });
      expect(ingress.value).toMatchObject({ status: "DEPLOYED" });
      shown.push(count());
    }
    expect(shown).toEqual([1, 2, 2, 3, 3, 4, 4]);
    await observe({ memory: { ...memory, ingress: { status: "DEPLOYING" } }, now: minutes(31) });
    expect(count()).toBe(5);
    await observe({ memory, now: minutes(31 + 8 * 60) });
    expect(count()).toBe(6);
  });

  it.each([
    ["another commit", { spec: other }],
    ["a stop", { spec: { runState: "Stopped" as const } }],
  ])("omit the ingress of a deployment that %s replaces, for eight hours", async (_name, change) => {
    const { observe, reads } = documented({});
    const memory = { ...endedAt(0), ingress };
    for (const after of [0, 1, 8 * 60 - 1]) await observe({ memory, now: minutes(after), ...change });
    expect(reads).not.toContain("ingress");
    await observe({ memory, now: minutes(8 * 60), ...change });
    expect(reads).toContain("ingress");
  });

  it("count an ingress as read only where the answer can be parsed", async () => {
    const { api, observe, reads } = documented({});
    await observe({ memory: { lastDeployment: deployment() } });
    const settled = { memory: endedAt(0), now: minutes(1) };
    const unreadable = new ApiError("getIngressStatus", { is: "BadResponse" }, 200, "Unexpected end of JSON input");
    vi.spyOn(api.services, "ingressStatus").mockRejectedValueOnce(unreadable);
    expect((await observe(settled)).ingress.fault).toMatchObject({ reason: "UnexpectedResponse" });
    expect((await observe(settled)).ingress.value).toMatchObject({ status: "DEPLOYED" });
    await observe(settled);
    expect(reads.filter((name) => name === "ingress")).toHaveLength(1);
  });

  const none = { lastDeployment: deployment() };
  const later = { ...endedAt(1), ingress };

  it.each<[string, readonly Change[], readonly string[]]>([
    ["was the first work", [following, { memory: endedAt(0), now: minutes(60) }], ["request", "status", "ingress"]],
    ["ended when the process before may have, too", [{ memory: endedAt(-29) }], ["status", "ingress"]],
    ["ended long before, not where there was none", [{ memory: none }], ["status"]],
    ["ended long before, not where one is remembered", [{ memory: { ...none, ingress } }], ["status"]],
    ["ended since", [{ memory: none }, { memory: later, now: minutes(1) }], ["status", "status", "ingress"]],
  ])("include the ingress in a new process after a deployment that %s", async (_name, passes, expected) => {
    const { observe, reads } = documented({ request: "DEPLOYED" });
    for (const change of passes) await observe(change);
    expect(reads).toEqual(expected);
  });
});

it.each<[string, Change]>([
  ["another commit is deployed", { spec: other }],
  ["it is stopped", { spec: { runState: "Stopped" } }],
  ["its variables are imported", { inputs: imported }],
])("an application is read before %s, as its state is the baseline of the request", async (_name, change) => {
  const { observe, reads } = documented({});
  await observe(change);
  expect(reads).toContain("status");
});
