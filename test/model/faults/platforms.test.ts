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

const NOT_TRIED = "whether the platform has deleteProject is known after the first deletion.";
const NOT_DOCUMENTED =
  "the specification has no deleteProject, and the platform has shown nothing beyond it; the object stays on the platform when this resource is deleted.";
const STAYS = "the platform has no deleteProject; the object stays on the platform when this resource is deleted.";
const NOT_SENT = "the platform has no updateProject; changed settings are not sent after the creation.";

describe("the condition Capabilities", () => {
  it.each([
    ["documented", NOT_DOCUMENTED, NOT_SENT, STAYS],
    ["full", NOT_TRIED, "the platform has updateProject.", "the platform has deleteProject."],
    ["read-only", NOT_TRIED, NOT_SENT, STAYS],
  ] as const)("says on the platform %s what is not tried, and then whether it worked", async (...row) => {
    const [name, untried, updated, deleted] = row;
    const env = await startOn(name);
    const told = (called: string) => conditionOf(env.get(PROJECT, called), "Capabilities");
    const apply = async (called: string, description: string) => {
      env.apply(project(called, { description, ...DELETE }));
      await env.run(5 * MINUTE);
    };
    await apply("first", "one");
    const [status, reason] = name === "documented" ? ["False", "NotSupportedByApi"] : ["Unknown", "NotTried"];
    expect(told("first")).toMatchObject({ status, reason, message: expect.stringContaining(`Delete: ${untried}`) });
    await apply("first", "two");
    expect(env.condition(PROJECT, "first")).toBe(name === "full" ? "True/Available" : "False/UpdateNotSupported");
    expect(told("first")?.message).toBe(`Update: ${updated} Delete: ${untried}`);
    const { resourceVersion } = env.get(PROJECT, "first").metadata;
    await env.run(12 * MINUTE);
    expect(env.get(PROJECT, "first").metadata.resourceVersion, "is left alone").toBe(resourceVersion);
    env.cluster.remove(PROJECT, "first");
    await env.run(5 * MINUTE);
    // The next resource is told what the first deletion has shown.
    await apply("second", "one");
    expect(env.condition(PROJECT, "second")).toBe("True/Available");
    expect(told("second")).toMatchObject({
      status: name === "full" ? "True" : "False",
      reason: name === "full" ? "Supported" : "NotSupportedByApi",
      message: expect.stringContaining(`Delete: ${deleted}`),
    });
  });
});

describe("a platform with undocumented pages", () => {
  const PAGE = 20;
  const recreated = (name: string) => project(name, { lifecycle: { onMissing: "Recreate" } });

  const platforms = effort.few(["documented", "lists-only", "full"] as const);
  it.each(platforms)("%s: what the first page lacks is neither gone nor created again", async (name) => {
    const env = await startOn(name);
    const { platform } = env;
    const show = (pageLength: number | null) => changeSettings(platform.sim.settings, { pageLength });
    const hidden = name === "full" ? "True/Available" : "Unknown/NotObservable";
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
