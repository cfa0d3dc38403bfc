/** Platforms whose lists have pages that they do not tell of. */
import { beforeAll, describe, expect, it } from "vitest";

import { changeSettings } from "../../simulator/base/settings.ts";
import { createStage } from "../support/env/env.ts";
import { call } from "../support/env/simulated-platform.ts";

/** The length of a page. */
const PAGE = 20;

describe.each(["documented", "lists-only", "full"] as const)("a platform with pages, %s", (surface) => {
  const stage = createStage({ surface, windows: { unknownMs: 2_000 } });
  const showAll = () => changeSettings(stage.platform.sim.settings, { pageLength: null });
  const showPage = () => changeSettings(stage.platform.sim.settings, { pageLength: PAGE });
  const project = (name: string) => ({
    apiVersion: "platform-operator.io/v1alpha1",
    kind: "PlatformProject",
    metadata: { name },
    spec: { name, lifecycle: { onMissing: "Recreate" } },
  });

  beforeAll(async () => {
    const { platform } = stage;
    for (let count = platform.world().projects.size; count < PAGE; count += 1) {
      await call(platform, `POST /organization/${platform.organizationId}/project`, { name: `other ${count}` });
    }
    const ground = new Set(["Secret", "PlatformConnection"]);
    const wanted = stage.quickstart().filter(({ kind, metadata }) => ground.has(kind) && metadata.name !== "api");
    await stage.apply(...wanted, project("second-page"));
    await stage.waitFor("PlatformProject", "second-page", { status: "True" });
    await stage.settled();
  });

  it("is not told to have lost what is on the next page, and nothing is created in its place", async () => {
    const record = await stage.record();
    showPage();
    if (surface === "full") {
      await stage.quiet(3);
    } else {
      await stage.waitFor("PlatformProject", "second-page", { status: "Unknown", reason: "NotObservable" });
      await stage.quiet(2);
    }
    expect(record.changes()).toEqual([]);
    showAll();
    await stage.waitFor("PlatformProject", "second-page", { status: "True" });
    expect(record.changes()).toEqual([]);
  });

  it("has what it was asked to create, though the first page does not show it", async () => {
    showPage();
    const record = await stage.record();
    await stage.apply(project("late"));
    await stage.waitFor("PlatformProject", "late", surface === "full" ? { status: "True" } : { status: "Unknown" });
    await stage.settled();
    expect(record.changes()).toEqual(["createProject"]);
    showAll();
    await stage.waitFor("PlatformProject", "late", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
  });
});
