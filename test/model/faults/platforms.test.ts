/** Platforms that offer a part of the operations beyond the specification, or lists in pages. */
import { describe, expect, it } from "vitest";

import { operations } from "../../../simulator/base/operations.ts";
import { offerOf, type PlatformName, partialPlatforms, type SwitchedOff } from "../../../simulator/base/platforms.ts";
import { changeSettings } from "../../../simulator/base/settings.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import { member } from "../../../src/kube/api/json.ts";
import { effort } from "../../support/env/effort.ts";
import { call } from "../../support/env/simulated-platform.ts";
import { application, defaults, environment, NEXT_COMMIT, project } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { operatorEnv } from "../../support/platform/operator-env.ts";

const APPLICATION = "PlatformApplication";
const PROJECT = "PlatformProject";
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

/** Starts the operator on a platform with a default connection. */
async function startOn(name: PlatformName, more: SwitchedOff = {}) {
  const { surface, switchedOff } = offerOf(name);
  const env = await operatorEnv({ surface });
  changeSettings(env.platform.sim.settings, { switchedOff: { ...switchedOff, ...more } });
  env.apply(...defaults(env));
  return env;
}

const beyond = operations.filter(({ surface, id }) => surface === "full" && id !== "getProject");
const withoutOthers = Object.fromEntries(
  beyond.map(({ id, path }) => [id, path.endsWith("/application") ? 405 : 404]),
) as SwitchedOff;

const offers: readonly (readonly [title: string, switchedOff: SwitchedOff, canUpdate: boolean])[] = [
  ["that only reads", partialPlatforms["read-only"], false],
  // Nothing is known to be missing before something is to be deleted.
  ["that neither deletes nor stops", partialPlatforms["no-delete"], true],
  ["of lists alone", partialPlatforms["lists-only"], false],
  ["that shows a project and nothing else", withoutOthers, false],
];

describe.each(effort.few(offers))("a platform %s", (_title, switchedOff, canUpdate) => {
  it("is changed as far as it can be, takes nothing for deleted, and is not asked again for what it lacks", async () => {
    const env = await startOn("full", switchedOff);
    const sent = (id: string) => env.calls().filter(({ operation }) => operation === id).length;
    const refused = () => Object.keys(switchedOff).map((id) => [id, sent(id)]);
    env.apply(project("shop"), environment(env, "shop", "shop"));
    await env.run(2 * MINUTE);
    env.apply(application("web", "shop", { cpu: 250, ...DELETE }));
    await env.run(5 * MINUTE);
    expect(env.condition(APPLICATION, "web")).toBe("True/Deployed");
    env.cluster.patch(APPLICATION, "web", { spec: { cpu: 500, deploy: { gitCommitId: NEXT_COMMIT } } });
    await env.run(5 * MINUTE);
    expect(env.condition(APPLICATION, "web")).toBe(canUpdate ? "True/Deployed" : "False/UpdateNotSupported");

    expect(env.condition("PlatformConnection", "default", "SurfaceKnown")).toBe("True/SurfaceKnown");
    const { status } = env.get("PlatformConnection", "default");
    expect(member(status, "surface")).toBe(canUpdate ? "Full" : "Partial");
    // What the edit has taught: the update, or the record that it would need.
    const missing = JSON.stringify(member(member(status, "operations"), "unsupported") ?? []);
    expect(/"(?:update|get)Application"/.test(missing)).toBe(!canUpdate);
    const [before, from] = [refused(), env.baseline()];
    await env.restart();
    await env.run(12 * MINUTE);
    expect(env.calls(from).length).toBeGreaterThan(1);
    expect([refused(), env.writes(from)]).toEqual([before, []]);

    env.cluster.remove(APPLICATION, "web");
    env.apply(application("other", "shop", DELETE));
    await env.run(5 * MINUTE);
    env.cluster.remove(APPLICATION, "other");
    await env.run(5 * MINUTE);
    expect(env.cluster.all().filter(({ kind }) => kind === APPLICATION)).toEqual([]);
    expect(sent("deleteApplication"), "is asked to delete once").toBeLessThanOrEqual(1);
    const names = [...env.platform.world().services.values()].map(({ name }) => name);
    expect(names.toSorted()).toEqual(["other", "web"]);
  });
});

// The messages on other platforms: src/engine/steps/capabilities.test.ts.
it("the condition Capabilities says what was not tried, and to the next resource whether it worked", async () => {
  const env = await startOn("read-only");
  const told = (called: string) => conditionOf(env.get(PROJECT, called), "Capabilities");
  const apply = async (called: string, description: string) => {
    env.apply(project(called, { description, ...DELETE }));
    await env.run(5 * MINUTE);
  };
  const untried = "Delete: whether the platform has deleteProject is known after the first deletion.";
  await apply("first", "one");
  const message: unknown = expect.stringContaining(untried);
  expect(told("first")).toMatchObject({ status: "Unknown", reason: "NotTried", message });
  await apply("first", "two");
  expect(env.condition(PROJECT, "first")).toBe("False/UpdateNotSupported");
  const notSent = "Update: the platform has no updateProject; changed settings are not sent after the creation.";
  expect(told("first")?.message).toBe(`${notSent} ${untried}`);
  const { resourceVersion } = env.get(PROJECT, "first").metadata;
  await env.run(12 * MINUTE);
  expect(env.get(PROJECT, "first").metadata.resourceVersion, "is left alone").toBe(resourceVersion);
  env.cluster.remove(PROJECT, "first");
  await env.run(5 * MINUTE);
  await apply("second", "one");
  expect(env.condition(PROJECT, "second")).toBe("True/Available");
  const stays: unknown = expect.stringContaining("Delete: the platform has no deleteProject; the object stays");
  expect(told("second")).toMatchObject({ status: "False", reason: "NotSupportedByApi", message: stays });
});

describe("a platform with undocumented pages", () => {
  const PAGE = 20;
  const recreated = (name: string) => project(name, { lifecycle: { onMissing: "Recreate" } });

  const platforms = effort.few(["documented", "lists-only", "full"] as const);
  it.each(platforms)("%s: what the first page lacks is neither gone nor created again", async (name) => {
    const env = await startOn(name);
    const { platform } = env;
    const show = (pageLength: number | null) => changeSettings(platform.sim.settings, { pageLength });
    const hidden = name === "full" ? "True/Available" : "Unknown/NotListed";
    for (let count = platform.world().projects.size; count < PAGE; count += 1) {
      await call(platform, `POST /organization/${platform.organizationId}/project`, { name: `other ${count}` });
    }
    env.apply(recreated("second-page"));
    await env.run(12 * MINUTE);
    const from = env.baseline();
    show(PAGE);
    await env.run(25 * MINUTE);
    expect([env.condition(PROJECT, "second-page"), env.writes(from)]).toEqual([hidden, []]);
    env.apply(recreated("late"));
    await env.run(12 * MINUTE);
    expect([env.condition(PROJECT, "late"), env.writes(from)]).toEqual([hidden, ["createProject"]]);
    show(null);
    await env.run(12 * MINUTE);
    for (const each of ["second-page", "late"]) expect(env.condition(PROJECT, each)).toBe("True/Available");
    expect(env.writes(from)).toEqual(["createProject"]);
  });
});
