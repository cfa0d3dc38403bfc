import { describe, expect, it, vi } from "vitest";

import { CLUSTER, clusterContext, listed } from "../../../test/support/kinds/cluster-contexts.ts";
import { openIntent } from "../../../test/support/kinds/contexts.ts";
import { platformWith } from "../../../test/support/kinds/platform.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { clusterFacts } from "./model.ts";
import { clusterBaseline } from "./operation.ts";
import { trace } from "./requests.ts";

/** An intent of a request that was made while the cluster showed this state; while it was not shown, without one. */
const intent = (op: string, state = "DEPLOYED") => {
  const { status } = listed(state);
  const baseline = status === undefined || state === "" ? undefined : clusterBaseline(clusterFacts(status));
  return openIntent(op, { id: CLUSTER, mark: { baseline, kubernetesVersion: "1.34" } });
};
const showing = (status: () => Promise<unknown>) => platformWith({ clusters: { status } });
const traced = (op: string, state: string, change: object = {}) => {
  const api = showing(() => Promise.resolve(listed(state, change).status));
  return trace(intent(op), clusterContext(), api);
};

describe("the trace of a request", () => {
  it.each<[string, string, object, "absent" | "landed"]>([
    ["stopCluster", "DEPLOYED", {}, "absent"],
    ["stopCluster", "STOP_QUEUED", {}, "landed"],
    ["stopCluster", "STOPPED", { lastExecutionId: "run-2" }, "landed"],
    ["stopCluster", "DEPLOYING", { lastExecutionId: "run-2" }, "absent"],
    ["upgradeCluster", "DEPLOYED", {}, "absent"],
    ["upgradeCluster", "DEPLOYING", {}, "landed"],
    ["upgradeCluster", "DEPLOYED", { lastExecutionId: "run-2" }, "landed"],
    ["upgradeCluster", "DEPLOYED", { nextK8sAvailableVersion: "1.35" }, "landed"],
    ["deployCluster", "DEPLOYED", { lastDeploymentDate: "2026-11-21T10:00:00Z" }, "landed"],
  ])("%s, then %s %o: %s", async (op, state, change, expected) => {
    expect((await traced(op, state, change)).is).toBe(expected);
  });

  const run = { lastExecutionId: "run-2" };

  it.each<[string, string, string, string, object, string]>([
    ["a stop that failed", "stopCluster", "DEPLOYED", "STOP_ERROR", {}, "landed"],
    ["a stop that failed before", "stopCluster", "STOP_ERROR", "STOP_ERROR", {}, "absent"],
    ["a stop that failed again", "stopCluster", "STOP_ERROR", "STOP_ERROR", run, "landed"],
    ["a stop after a failed one", "stopCluster", "STOP_ERROR", "STOPPING", run, "landed"],
    ["a failed stop where nothing was shown before", "stopCluster", "", "STOP_ERROR", {}, "absent"],
    ["a stop where nothing was shown before", "stopCluster", "", "STOPPED", {}, "landed"],
    ["a start that failed before", "deployCluster", "DEPLOYMENT_ERROR", "DEPLOYMENT_ERROR", {}, "absent"],
    ["a start that failed again", "deployCluster", "DEPLOYMENT_ERROR", "DEPLOYMENT_ERROR", run, "landed"],
    ["a start of a cluster that is still stopped", "deployCluster", "STOPPED", "STOPPED", {}, "absent"],
    ["a start of a stopped cluster, as a new run", "deployCluster", "STOPPED", "STOPPED", run, "landed"],
    ["a stop by others in place of a start", "deployCluster", "STOPPED", "STOP_ERROR", run, "absent"],
    ["a start where nothing was shown before", "deployCluster", "", "DEPLOYED", {}, "absent"],
    ["a stop by others in place of an upgrade", "upgradeCluster", "DEPLOYED", "STOPPING", run, "absent"],
    ["an upgrade where nothing was shown before", "upgradeCluster", "", "DEPLOYED", {}, "unknowable"],
    ["an upgrade under way where nothing was shown before", "upgradeCluster", "", "DEPLOYING", {}, "landed"],
  ])("finds %s (%s, %s, then %s %o): %s", async (_what, op, before, state, change, expected) => {
    const api = showing(() => Promise.resolve(listed(state, change).status));
    expect((await trace(intent(op, before), clusterContext(), api)).is).toBe(expected);
  });

  it("remembers what was requested", async () => {
    expect(await traced("upgradeCluster", "DEPLOYING")).toMatchObject({
      known: [{ memory: { lastOrder: { operation: "Upgrade", kubernetesVersion: "1.34", generation: 1 } } }],
    });
  });

  it("is left open where no read shows the cluster, and throws where the platform cannot be reached", async () => {
    const failing = (is: "NotFound" | "Unreachable", status: number) => {
      const refuse = () => Promise.reject(new ApiError("getClusterStatus", { is }, status, "no"));
      return platformWith({ clusters: { status: refuse, list: () => Promise.resolve([]) } });
    };
    const found = await trace(intent("stopCluster"), clusterContext(), failing("NotFound", 404));
    expect(found).toMatchObject({ is: "unknowable", repeatable: true });
    const unreachable = trace(intent("stopCluster"), clusterContext(), failing("Unreachable", 0));
    await expect(unreachable).rejects.toThrow("no");
  });

  it("reads the list, once, where the status is not shown", async () => {
    const status = vi.fn(() => Promise.reject(new ApiError("getClusterStatus", { is: "NotFound" }, 404, "no")));
    const list = vi.fn(() => Promise.resolve([{ id: CLUSTER, status: "STOPPING" }]));
    const api = platformWith({ clusters: { status, list } });
    expect((await trace(intent("stopCluster"), clusterContext(), api)).is).toBe("landed");
    expect(status).toHaveBeenCalledTimes(1);
    expect(list).toHaveBeenCalledTimes(1);
  });

  it("where nothing shows the cluster, lets a stop be repeated and leaves an upgrade to a person", async () => {
    const api = platformWith({});
    const context = clusterContext({ surface: "Documented" });
    const unseen = { is: "unknowable", why: { reason: "NotObservable" } };
    expect(await trace(intent("stopCluster"), context, api)).toMatchObject({ ...unseen, repeatable: true });
    expect(await trace(intent("upgradeCluster"), context, api)).toMatchObject(unseen);
  });
});
