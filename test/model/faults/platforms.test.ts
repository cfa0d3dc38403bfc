/** Platforms that do not answer one operation of the surface Full, or whose lists have pages. */
import { describe, expect, it } from "vitest";

import { type OperationId, operations, type Surface } from "../../../simulator/base/operations.ts";
import { changeSettings } from "../../../simulator/base/settings.ts";
import { conditionOf, conditionsOf } from "../../../src/engine/contract/status.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { SAMPLES } from "../../samples/index.ts";
import { effort } from "../../support/env/effort.ts";
import { call } from "../../support/env/simulated-platform.ts";
import { blueprint, database, defaults, deploying, NEXT_COMMIT, project, tree } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { type OperatorEnv, operatorEnv } from "../../support/platform/operator-env.ts";

const PROJECT = "PlatformProject";
const STATUSES = [404, 405, 501, 403, 401] as const;
type Status = (typeof STATUSES)[number];

/** Starts the operator on a platform with a default connection. */
async function startOn(surface: Surface) {
  const env = await operatorEnv({ surface });
  env.apply(...defaults(env));
  return env;
}

/** getProject decides the surface itself: src/kinds/connection/index.test.ts. */
const beyond = operations.flatMap(({ surface, id }) => (surface === "full" && id !== "getProject" ? [id] : []));
const RECREATE = { lifecycle: { onMissing: "Recreate", driftPolicy: "Correct" } };

/** One resource of each kind, which creates another object in place of one that is gone where the kind allows it. */
function everything(env: OperatorEnv, spec: JsonObject = RECREATE) {
  const parents = tree(env, "shop", spec);
  const rest = Object.entries(SAMPLES).flatMap(([kind, sample]) => {
    if (["PlatformProject", "PlatformEnvironment", "PlatformApplication"].includes(kind)) return [];
    return [sample.good({ env, name: kind.toLowerCase(), tree: "shop", spec: {} })];
  });
  return [...parents, ...rest];
}

const SERVICES = new Set(["PlatformApplication", "PlatformDatabase", "PlatformBlueprint"]);

/** Returns what conditions say wrongly: that an object is gone, or that a service is ready although it failed. */
function untruths(env: OperatorEnv, { haveServicesFailed }: { readonly haveServicesFailed: boolean }) {
  return env.cluster.all().flatMap((object) => {
    const ready = conditionOf(object, "Ready");
    const isFailed = haveServicesFailed && SERVICES.has(object.kind) && ready?.status === "True";
    const isGone = ready?.reason === "ExternalResourceDeleted";
    return isFailed || isGone ? [`${object.kind} ${object.metadata.name}: ${ready?.status}/${ready?.reason}`] : [];
  });
}

/** Conditions that are False while all is well. */
const NEGATIVE = new Set(["Drifted", "Stalled", "Reconciling", "Locked"]);

it.each(["full", "documented"] as const)(
  "on the surface %s, an object that is as wanted has no condition that is False",
  async (surface) => {
    const env = await operatorEnv({ surface });
    env.apply(...defaults(env, { surface: surface === "full" ? "Full" : "Documented", allowUnverifiedIds: true }));
    env.apply(...everything(env, {}));
    await env.run(90 * MINUTE);
    const healthy = env.cluster.all().filter((object) => conditionOf(object, "Ready")?.status !== "False");
    expect(new Set(healthy.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(9);
    const untrue = healthy.flatMap((object) =>
      conditionsOf(object)
        .filter(({ type, status }) => status === "False" && !NEGATIVE.has(type))
        // The state of a cluster that the sample wants to be stopped.
        .filter(({ type, reason }) => !(type === "ClusterDeployed" && reason === "STOPPED"))
        .map(({ type, reason, message }) => `${object.kind} ${type}/${reason}: ${message}`),
    );
    expect(untrue).toEqual([]);
  },
);

describe("a platform of the surface Full that does not answer one operation", () => {
  const rows = beyond.flatMap((operation) => STATUSES.map((status) => [operation, status] as const));

  it.each<readonly [OperationId, Status]>(effort.few(rows))(
    "%s, with %i, gets no second object, and no condition says that an object is gone or ready wrongly",
    async (operation, status) => {
      const env = await startOn("full");
      changeSettings(env.platform.sim.settings, { switchedOff: { [operation]: status } });
      env.apply(...everything(env));
      await env.run(12 * MINUTE);
      const made = [...env.remotes().values()].toSorted();
      expect(new Set(made).size, made.join()).toBe(made.length);
      expect(untruths(env, { haveServicesFailed: false })).toEqual([]);
      const connection = env.get("PlatformConnection", "default");
      expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
      expect(connection.status).toMatchObject({ surface: { name: "Full" } });

      const from = env.baseline();
      await env.restart();
      await env.run(25 * MINUTE);
      expect([...env.remotes().values()].toSorted(), "after a restart").toEqual(made);
      expect(
        env.writes(from).filter((name) => name.startsWith("create")),
        "creates after a restart",
      ).toEqual([]);
      expect(untruths(env, { haveServicesFailed: false }), "after a restart").toEqual([]);

      for (const service of env.platform.world().services.values()) service.state = "DEPLOYMENT_ERROR";
      await env.run(25 * MINUTE);
      expect(untruths(env, { haveServicesFailed: true })).toEqual([]);
    },
  );
});

it("a token that may deploy, but not read beyond the specification, works, and conditions say what stays unknown", async () => {
  const env = await startOn("full");
  const reads = operations.filter(
    ({ surface, id, method }) => surface === "full" && method === "GET" && id !== "getProject",
  );
  changeSettings(env.platform.sim.settings, { switchedOff: Object.fromEntries(reads.map(({ id }) => [id, 403])) });
  env.apply(...tree(env, "shop"), database("orders", "shop"), blueprint("cache", "shop"));
  await env.run(12 * MINUTE);
  env.cluster.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
  await env.run(12 * MINUTE);
  expect(env.condition("PlatformApplication", "shop")).toBe("True/Deployed");
  expect(env.get("PlatformApplication", "shop").status).toMatchObject({ commit: NEXT_COMMIT.slice(0, 7) });
  expect(conditionOf(env.get("PlatformApplication", "shop"), "Capabilities")?.message).toBe(
    "The platform answered 403 to listApplications: what these operations show stays unknown.",
  );
  expect(env.condition("PlatformDatabase", "orders")).toBe("Unknown/NotObservable");
  expect(env.condition("PlatformBlueprint", "cache")).toBe("Unknown/NotObservable");
  expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
});

describe("a platform with undocumented pages in its lists", () => {
  const PAGE = 20;
  const recreated = (name: string) => project(name, { lifecycle: { onMissing: "Recreate" } });

  it.each(["documented", "full"] as const)(
    "on the %s surface: an object that is not on the first page is neither gone nor created again",
    async (surface) => {
      const env = await startOn(surface);
      const { platform } = env;
      const show = (pageLength: number | null) => changeSettings(platform.sim.settings, { pageLength });
      const hidden = surface === "full" ? "True/Available" : "Unknown/NotListed";
      for (let count = platform.world().projects.size; count < PAGE; count += 1) {
        await call(platform, `POST /organization/${platform.organizationId}/project`, { name: `other ${count}` });
      }
      env.apply(recreated("second-page"));
      await env.run(12 * MINUTE);
      const from = env.baseline();
      show(PAGE);
      await env.run(25 * MINUTE);
      expect(env.condition(PROJECT, "second-page")).toBe(hidden);
      expect(env.writes(from)).toEqual([]);
      env.apply(recreated("late"));
      await env.run(12 * MINUTE);
      expect(env.condition(PROJECT, "late")).toBe(hidden);
      expect(env.writes(from)).toEqual(["createProject"]);
      show(null);
      await env.run(12 * MINUTE);
      for (const each of ["second-page", "late"]) expect(env.condition(PROJECT, each)).toBe("True/Available");
      expect(env.writes(from)).toEqual(["createProject"]);
    },
  );
});
