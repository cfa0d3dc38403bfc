/** An import of variables makes the platform say OUT_OF_DATE until the next deployment: that is no drift. */
import { expect, it } from "vitest";

import { conditionOf } from "../../../src/engine/contract/status.ts";
import { listMember, stringMember } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { application, COMMIT, connection, environment, project, resource } from "../../support/kube/manifests.ts";
import { HOUR } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const APPLICATION = "PlatformApplication";
const ofSpec = (value: string, more: JsonObject = {}): Manifest =>
  application("web", "staging", { variables: [{ name: "MODE", value }], ...more });
const ofSet = (value: string): Manifest =>
  resource("PlatformVariableSet", "shared", {
    targets: [{ applicationRef: { name: "web" } }],
    variables: [{ name: "LEVEL", value }],
  });
const manual = { deploy: { gitCommitId: COMMIT, policy: "Manual" } };

/** The drift that any status of the application told. */
const toldDrift = ({ cluster }: OperatorEnv): readonly string[] =>
  cluster.writes
    .filter(({ what, key }) => what === "status" && key.startsWith(`${APPLICATION}/`))
    .flatMap(({ body }) => listMember(body, "conditions"))
    .filter((one) => stringMember(one, "type") === "Drifted" && stringMember(one, "status") === "True")
    .map((one) => stringMember(one, "message") ?? "");

it.each<["full" | "documented", string, Manifest, Manifest]>(
  (["full", "documented"] as const).flatMap((surface): ["full" | "documented", string, Manifest, Manifest][] => [
    [surface, "of its own spec", ofSpec("one"), ofSpec("two")],
    [surface, "of its own spec under the policy Manual", ofSpec("one"), ofSpec("two", manual)],
    [surface, "of a variable set", ofSpec("one"), ofSet("one")],
    [surface, "of a variable set under the policy Manual", ofSpec("one", manual), ofSet("one")],
  ]),
)("%s: an application does not drift by an import %s", async (surface, _what, first, change) => {
  const env = await settledEnv(
    (of) => [
      connection(of, "default", { surface: surface === "full" ? "Full" : "Documented" }),
      project("shop"),
      environment(of, "staging", "shop"),
      first,
    ],
    { surface, minutes: 30 },
  );
  const from = env.baseline();
  env.apply(change);
  await env.run(2 * HOUR);
  expect(env.writes(from)).toContain("importEnvironmentVariable");
  expect(toldDrift(env)).toEqual([]);
  expect(conditionOf(env.get(APPLICATION, "web"), "Drifted")?.status).not.toBe("True");
});
