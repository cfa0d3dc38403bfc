/** One id leads from a pass to its calls of the platform and of the API server, and to what it changed. */
import { beforeAll, describe, expect, it } from "vitest";

import { lastDeployment, stagedApplications } from "../support/env/applications.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { changeLog } from "../support/platform/change-log.ts";

const KIND = "PlatformApplication";

describe("the log of a pass", () => {
  const env = createEnv({ surface: "full", args: ["--log-level=info,engine=debug,platform=debug,kube=trace"] });
  const apps = stagedApplications(env);
  const changes = () => changeLog(env.operator.logs());

  beforeAll(async () => {
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    await env.settled();
  });

  it("has one id in all its lines, from the reconcile to the call with its request id and commit", async () => {
    await env.patch(KIND, "api", deploying(NEXT_COMMIT));
    const api = await apps.deployed("api", NEXT_COMMIT);
    await env.settled();
    const [change, ...others] = changes().filter(({ commit }) => commit === NEXT_COMMIT);
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      kind: KIND,
      namespace: env.namespace,
      name: "api",
      uid: api.metadata.uid,
      generation: api.metadata.generation,
      cause: "SpecChanged",
      op: "deployApplication",
      method: "POST",
      path: "/application/{applicationId}/deploy",
      commit: NEXT_COMMIT,
      requestId: lastDeployment(api, "requestId"),
      result: "ok",
      connection: `PlatformConnection/${env.namespace}/default`,
    });
    const deployed = env.platform
      .journal()
      .findLast((entry) => entry.is === "call" && entry.operation === "deployApplication");
    expect(change?.status).toBe(deployed?.is === "call" ? deployed.status : 0);
    const lines = env.operator.logs().filter((line) => line["pass"] === change?.pass);
    const reported = (message: string) => lines.filter((line) => line.message === message);
    expect(reported("asked the platform")).toContainEqual(
      expect.objectContaining({ logger: "platform", op: "deployApplication", requestId: change?.requestId }),
    );
    const path = `/apis/platform-operator.io/v1alpha1/namespaces/${env.namespace}/platformapplications/api/status`;
    expect(reported("asked the API server")).toContainEqual(
      expect.objectContaining({ logger: "kube", method: "PATCH", path, code: "200" }),
    );
    expect(reported("reconciled")).toEqual([expect.objectContaining({ logger: "engine", kind: KIND, name: "api" })]);
    // Events are written one after the other, whoever began with it.
    expect(lines.filter((line) => String(line["path"]).endsWith("/events"))).toEqual([]);
  });

  it("says where the outcome of a call is unknown", async () => {
    const from = changes().length;
    env.platform.sim.faults.add({
      name: "unknown",
      match: { operation: "deployApplication" },
      answer: { is: "status", status: 502, body: "" },
    });
    await env.patch(KIND, "api", deploying(COMMIT));
    await apps.deployed("api", COMMIT);
    await env.settled();
    expect(changes()[from]).toMatchObject({
      name: "api",
      op: "deployApplication",
      cause: "SpecChanged",
      result: "OutcomeUnknown",
      status: 502,
    });
  });
});
