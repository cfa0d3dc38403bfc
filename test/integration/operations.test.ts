/** PlatformOperation on the real control plane: carried out once, whatever is done to the object. */
import { beforeAll, describe, expect, it } from "vitest";

import { BEGUN, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { endsOf, over } from "../support/kinds/operations.ts";
import { defaults, NEXT_COMMIT, operation, tree } from "../support/kube/manifests.ts";

describe.each(effort.few(["full", "documented"] as const))("an operation, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "web"));
    await env.settled();
  }, 60_000);

  it("deploys a commit, ends Complete and is then left alone, whatever is done to it", async () => {
    const record = await env.record();
    const applicationRef = { name: "web" };
    await env.apply(operation("deploy", { type: "DeployApplication", applicationRef, gitCommitId: NEXT_COMMIT }));
    const done = await env.waitFor("PlatformOperation", "deploy", { type: "Complete", status: "True" });
    expect(endsOf(done)).toHaveLength(1);
    expect(condition(done, "Ready")).toMatchObject({ status: "True", reason: "Completed" });
    expect(condition(done, "Synced")).toMatchObject({ status: "True" });
    expect(condition(done, "Reconciling") ?? condition(done, "Stalled")).toBeUndefined();
    expect(done.metadata.annotations?.[BEGUN]).toBe(`${done.metadata.uid} ${env.namespace}/${done.metadata.name}`);
    expect(done.status).toMatchObject({ targetId: idOf(await env.get("PlatformApplication", "web")) });
    await env.settled();
    const since = await env.record();
    await env.annotate("PlatformOperation", "deploy", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.patch("PlatformOperation", "deploy", { metadata: { labels: { touched: "yes" } } });
    await env.restart();
    await env.settled();
    // Its application reports at each poll that another commit is deployed.
    expect((await since.writes()).objects.filter(({ name }) => name === "deploy")).toEqual([]);
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("costs the API server few writes", async () => {
    const record = await env.record();
    await env.apply(operation("cheap", { type: "SendInvoices" }));
    await over(env, "cheap");
    await env.settled();
    const { objects } = await record.writes();
    const own = objects.filter(({ name }) => name === "cheap").map(({ what }) => what);
    expect(own).toEqual(["platformoperations/status", "platformoperations", "platformoperations/status"]);
    expect(record.changes()).toEqual(["downloadInvoices"]);
  });

  it("is deleted when its time is over", async () => {
    await env.apply(operation("brief", { type: "SendInvoices", ttlSecondsAfterFinished: 2 }));
    expect(endsOf(await over(env, "brief"))).toHaveLength(1);
    await env.waitGone("PlatformOperation", "brief");
  });
});
