/** Variables that a set removes from applications, which go on running until they are deployed again. */
import { expect, it } from "vitest";

import { application, environment, project, resource } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

function set(...targets: readonly string[]) {
  return resource("PlatformVariableSet", "shared", {
    targets: targets.map((name) => ({ applicationRef: { name } })),
    variables: [{ name: "MODE", value: "fast" }],
    lifecycle: { deletionPolicy: "Delete" },
  });
}

it.each<[string, (env: OperatorEnv) => void]>([
  ["its variable set is deleted", ({ cluster }) => cluster.remove("PlatformVariableSet", "shared")],
  ["its variable set does not have it any more", (env) => env.apply(set("other"))],
])("an application is deployed again once, soon after %s", async (_title, change) => {
  const applications = [application("web", "staging"), application("other", "staging", { runState: "Stopped" })];
  const env = await settledEnv(
    (env) => [project("shop"), environment(env, "staging", "shop"), ...applications, set("web", "other")],
    { minutes: 60 },
  );
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
