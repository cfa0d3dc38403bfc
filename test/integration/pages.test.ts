/** Platforms whose lists have undocumented pages. */
import { beforeAll, describe, expect, it } from "vitest";

import { changeSettings } from "../../simulator/base/settings.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { call } from "../support/env/simulated-platform.ts";
import { project } from "../support/kube/manifests.ts";

/** The length of a page. */
const PAGE = 20;

describe.each(effort.few(["documented", "lists-only", "full"] as const))("a platform with pages, %s", (surface) => {
  const env = createEnv({ surface, windows: { unknownMs: 2_000 } });
  const showAll = () => changeSettings(env.platform.sim.settings, { pageLength: null });
  const showPage = () => changeSettings(env.platform.sim.settings, { pageLength: PAGE });
  const recreated = (name: string) => project(name, { lifecycle: { onMissing: "Recreate" } });

  beforeAll(async () => {
    const { platform } = env;
    for (let count = platform.world().projects.size; count < PAGE; count += 1) {
      await call(platform, `POST /organization/${platform.organizationId}/project`, { name: `other ${count}` });
    }
    const fixture = new Set(["Secret", "PlatformConnection"]);
    const wanted = env.quickstart().filter(({ kind, metadata }) => fixture.has(kind) && metadata.name !== "api");
    await env.ready(...wanted, recreated("second-page"));
    await env.settled();
  });

  it("does not report objects of the next page as gone, and nothing is created in their place", async () => {
    const record = await env.record();
    showPage();
    if (surface === "full") {
      await env.quiet(3);
    } else {
      await env.waitFor("PlatformProject", "second-page", { status: "Unknown", reason: "NotObservable" });
      await env.quiet(2);
    }
    expect(record.changes()).toEqual([]);
    showAll();
    await env.waitFor("PlatformProject", "second-page", { status: "True" });
    expect(record.changes()).toEqual([]);
  });

  it("has what it was asked to create, though the first page does not show it", async () => {
    showPage();
    const record = await env.record();
    await env.apply(recreated("late"));
    await env.waitFor("PlatformProject", "late", surface === "full" ? { status: "True" } : { status: "Unknown" });
    await env.settled();
    expect(record.changes()).toEqual(["createProject"]);
    showAll();
    await env.waitFor("PlatformProject", "late", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
  });
});
