import { afterEach, beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm } from "../support/env/settling.ts";
import { defaults, environment, project, resource } from "../support/kube/manifests.ts";

const env = createEnv({ surface: "documented" });

beforeAll(() => env.apply(...defaults(env)));
afterEach(() => {
  env.platform.sim.faults.clear();
});

describe("[C8] an invalid resource", () => {
  const always = (operation: string, status: number, body: object) =>
    env.platform.sim.faults.add({ match: { operation }, count: null, answer: { is: "status", status, body } });
  const catalog = (name: string, cluster: JsonObject): ReturnType<typeof resource> =>
    resource("PlatformCatalog", name, { include: ["Templates"], cluster });

  it.each([
    ["provider", { mode: "PLATFORM_MANAGED" }],
    ["mode", { provider: "AWS" }],
  ])("is refused by the API server if a catalog has no %s", async (missing, half) => {
    const record = await env.record();
    await expect(env.apply(catalog(`no-${missing}`, half))).rejects.toMatchObject({
      failure: "Invalid",
      message: expect.stringContaining(`spec.cluster.${missing} FieldValueRequired`),
    });
    expect(record.calls("listPlatformTemplates")).toEqual([]);
  });

  it("that the platform answers with 400 reports the platform's sentence, and is Ready once the platform accepts it", async () => {
    await env.ready(project("neighbour"));
    const body = { status: 400, error: "Bad Request", message: "clusterMode and cloudProvider go together" };
    always("listPlatformTemplates", 400, body);
    await env.apply(catalog("templates", { mode: "PLATFORM_MANAGED", provider: "AWS" }));
    const says = /rejected list\w*Templates \(400\): clusterMode and cloudProvider go together/;
    await env.stalled("PlatformCatalog", "templates", "InvalidSpec", says);
    expect(condition(await env.get("PlatformConnection", "default"), "Ready")?.status).toBe("True");
    env.platform.sim.faults.clear();
    await env.waitFor("PlatformCatalog", "templates", { status: "True" });
    expect(condition(await env.get("PlatformProject", "neighbour"), "Synced")?.status).toBe("True");
  });

  it.each([
    [400, "InvalidSpec"],
    [402, "Rejected"],
    [422, "InvalidSpec"],
  ])("whose create the platform answers with %d is Stalled until its spec changes (%s)", async (status, reason) => {
    const name = `rejected-${status}`;
    always("createProject", status, { status, message: "the name is reserved" });
    const record = await env.record();
    await env.apply(project(name));
    const says = `rejected createProject (${status}): the name is reserved`;
    const rejected = await env.stalled("PlatformProject", name, reason, says);
    expect(rejected.metadata.annotations?.["platform-operator.io/intent"]).toBeUndefined();
    await env.apply(environment(env, name, name));
    await env.waitFor("PlatformEnvironment", name, { reason: "ParentNotReady" });
    await calm(env);
    // Several poll intervals later it has not been tried again.
    await env.quiet(3);
    env.platform.sim.faults.clear();
    await env.patch("PlatformProject", name, { spec: { name: `${name}-again` } });
    await env.waitFor("PlatformProject", name, { status: "True" });
    await env.waitFor("PlatformEnvironment", name, { status: "True" });
    expect(record.changeCalls().map((call) => [call.operation, call.status])).toEqual([
      ["createProject", null], // answered by the fault
      ["createProject", 200],
      ["createEnvironment", 200],
    ]);
  });
});
