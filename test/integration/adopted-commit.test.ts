/** Applications that are adopted by their id, where the platform does not show the commit that runs. */
import { beforeAll, describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { call, create } from "../support/env/simulated-platform.ts";
import { application, COMMIT, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

const KIND = "PlatformApplication";

const env = createEnv({ surface: "documented" });

beforeAll(() => fixture(env));

/** Creates an application without the operator, and deploys a commit. @returns its id */
async function foreign(name: string, commit = COMMIT): Promise<string> {
  const environment = await env.get("PlatformEnvironment", "staging");
  const id = await create(env.platform, `/environment/${idOf(environment)}/application`, {
    name,
    git_repository: { url: "https://github.com/acme/web.git", branch: "main" },
    build_mode: "DOCKER",
  });
  await call(env.platform, `POST /application/${id}/deploy`, { git_commit_id: commit });
  await expect.poll(() => env.platform.world().services.get(id)?.state).toBe("DEPLOYED");
  return id;
}

describe("an application that is adopted by its id and runs another commit than its spec names", () => {
  it("is deployed once with the commit of the spec, also after a restart of the operator", async () => {
    const externalId = await foreign("automatic");
    const record = await env.record();
    await env.ready(application("automatic", "staging", { externalId, deploy: { gitCommitId: NEXT_COMMIT } }));
    expect(record.changes()).toEqual(["deployApplication"]);
    const { status } = await env.get(KIND, "automatic");
    expect(status).toMatchObject({ commit: NEXT_COMMIT.slice(0, 7), lastDeployment: { gitCommitId: NEXT_COMMIT } });
    await env.restart();
    await env.annotate(KIND, "automatic", { "platform-operator.io/reconcile-requested-at": "1" });
    await env.settled();
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("has the condition UpToDate=Unknown under the policy Manual, until it is deployed", async () => {
    const externalId = await foreign("manual");
    const record = await env.record();
    const deploy = { gitCommitId: NEXT_COMMIT, policy: "Manual" };
    const object = await env.ready(application("manual", "staging", { externalId, deploy }));
    expect(condition(object, "UpToDate")).toMatchObject({ status: "Unknown", reason: "NotObservable" });
    expect(condition(object, "Ready")?.message).toContain("does not show its commit");
    expect(object.status).not.toHaveProperty("commit");
    expect(object.status).not.toHaveProperty("lastDeployment");
    await env.restart();
    await env.settled();
    const later = await env.get(KIND, "manual");
    expect(condition(later, "UpToDate")).toMatchObject({ status: "Unknown" });
    expect(record.changes()).toEqual([]);
    await env.patch(KIND, "manual", { spec: { deploy: { policy: "Automatic" } } });
    await env.waitFor(KIND, "manual", { type: "UpToDate", status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("is left as it is while its spec names no commit, and is deployed once it names one", async () => {
    const externalId = await foreign("undecided");
    const record = await env.record();
    await env.ready(application("undecided", "staging", { externalId, deploy: null }));
    expect(record.changes()).toEqual([]);
    await env.patch(KIND, "undecided", deploying(COMMIT));
    await env.waitFor(KIND, "undecided", { type: "UpToDate", status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
