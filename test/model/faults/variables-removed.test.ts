/** Variables that a set removes from applications, which go on running until they are deployed again. */
import { describe, expect, it } from "vitest";

import { application, defaults, environment, project, resource } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

function set(...targets: readonly string[]) {
  return resource("PlatformVariableSet", "shared", {
    targets: targets.map((name) => ({ applicationRef: { name } })),
    variables: [{ name: "MODE", value: "fast" }],
    lifecycle: { deletionPolicy: "Delete" },
  });
}

describe("an application is deployed again", { timeout: 60_000 }, () => {
  it.each<[string, (env: OperatorEnv) => void]>([
    ["its variable set is deleted", ({ cluster }) => cluster.remove("PlatformVariableSet", "shared")],
    ["its variable set does not have it any more", (env) => env.apply(set("other"))],
  ])("once, soon after %s", async (_title, change) => {
    const env = await operatorEnv({ surface: "full" });
    env.apply(...defaults(env), project("shop"), environment(env, "staging", "shop"));
    env.apply(application("web", "staging"), application("other", "staging", { runState: "Stopped" }));
    env.apply(set("web", "other"));
    await env.run(HOUR);
    const from = env.baseline();
    change(env);
    await env.run(MINUTE);
    const deployments = () => env.writes(from).filter((op) => op === "deployApplication");
    expect(env.writes(from)).toContain("deleteApplicationVariable");
    expect(deployments()).toHaveLength(1);
    await env.run(2 * HOUR);
    await env.restart();
    await env.run(2 * HOUR);
    expect(deployments()).toHaveLength(1);
  });
});
