import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { manualClock } from "../../../../test/support/kube/clock.ts";
import { stored } from "../../../../test/support/kube/stored.ts";
import { objectSummary } from "../../../../test/support/platform/summaries.ts";
import type { ObjectSummary, Mark } from "../../../console/tree/summary.ts";
import { createStore } from "../../../kube/watch/store.ts";
import type { Paint } from "../../base/io.ts";
import { fitWidth, renderLine, renderTree, showChanges } from "./drawing.ts";
import { createScreen } from "./screen.ts";

const plain: Paint = (_style, text) => text;

const project = objectSummary("PlatformProject", "shop");
const staging = objectSummary("PlatformEnvironment", "staging", { parent: project.id });
const production = objectSummary("PlatformEnvironment", "production", { parent: project.id });
const api = objectSummary("PlatformApplication", "api", {
  parent: staging.id,
  mark: "stalled",
  state: "BUILD_ERROR",
  reason: "BuildFailed",
  message: "The platform reports BUILD_ERROR for commit 1a2b3c4.",
  commit: "1a2b3c4",
});
const quickstart: readonly ObjectSummary[] = [
  objectSummary("PlatformBinding", "essentials", { mark: "new", state: "3/3", reason: "" }),
  api,
  staging,
  objectSummary("PlatformApplication", "web", { parent: production.id, mark: "working", reason: "Deploying" }),
  objectSummary("PlatformCatalog", "catalog"),
  production,
  project,
  objectSummary("PlatformConnection", "default", { mark: "warned", reason: "RateLimited" }),
];

describe("the tree of objects", () => {
  it("shows environments below their project and applications below their environment", () => {
    expect(renderTree(quickstart, { width: 80, paint: plain })).toEqual([
      "OBJECT                           STATE        REASON          MESSAGE",
      "! connection default                          RateLimited     It is there.",
      "✔ project shop                                Available       It is there.",
      "├─ ✔ environment production                   Available       It is there.",
      "│  └─ ◌ application web                       Deploying       It is there.",
      "└─ ✔ environment staging                      Available       It is there.",
      "   └─ ✘ application api 1a2b3c4  BUILD_ERROR  BuildFailed     The platform repo…",
      "· binding essentials             3/3                          It is there.",
      "✔ catalog catalog                             Available       It is there.",
    ]);
  });

  it.each([
    [
      120,
      "─ ✘ application api 1a2b3c4  BUILD_ERROR  BuildFailed     The platform reports BUILD_ERROR for commit 1a2b3c4.",
    ],
    [70, "─ ✘ application api 1a2b3c4  BUILD_ERROR  BuildFailed"],
    [40, "─ ✘ application api 1a2b3c4  BUILD_…"],
    [5, "…"],
  ])("omits in %d columns what does not fit", (width, line) => {
    expect(renderTree(quickstart, { width, paint: plain })).toContain(`   └${line}`);
  });

  it("names the namespaces when there are several", () => {
    const other = objectSummary("PlatformProject", "shop", { namespace: "test" });
    const lines = renderTree([project, other], { width: 80, paint: plain });
    expect(lines.slice(1).map((line) => line.split("  ")[0])).toEqual(["✔ project shop/shop", "✔ project test/shop"]);
  });

  it("colors only signs and headings, so that columns stay aligned", () => {
    const painted = renderTree(quickstart, { width: 80, paint: (color, text) => `<${String(color)}>${text}</>` });
    expect(painted[2]).toMatch(/^<green>✔<\/> project shop {2}/);
    expect(painted[6]).toMatch(/^ {3}└─ <red>✘<\/> application api/);
    const unpainted = painted.map((line) => line.replaceAll(/<\/?\w*>/g, ""));
    expect(unpainted).toEqual(renderTree(quickstart, { width: 80, paint: plain }));
  });

  it("shows every object once and no line wider than the terminal", () => {
    const marks: readonly Mark[] = ["new", "working", "ready", "warned", "stalled", "deleting"];
    const names = fc.stringMatching(/^[a-z]{1,9}$/);
    const kinds = fc.constantFrom("PlatformProject", "PlatformEnvironment", "PlatformApplication");
    const one = fc.tuple(kinds, names, names, fc.constantFrom(...marks)).map(([kind, name, parent, mark]) => {
      const above = kind === "PlatformApplication" ? "PlatformEnvironment" : "PlatformProject";
      return objectSummary(kind, name, {
        mark,
        parent: kind === "PlatformProject" ? undefined : `${above}/shop/${parent}`,
      });
    });
    const summaries = fc.uniqueArray(one, { selector: ({ id }) => id });
    fc.assert(
      fc.property(summaries, fc.integer({ min: 1, max: 200 }), (some, width) => {
        const lines = renderTree(some, { width, paint: plain });
        expect(lines).toHaveLength(some.length + 1);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

it("renderLine() describes an object in one line", () => {
  expect(renderLine(api)).toBe(
    "✘ application api 1a2b3c4  BUILD_ERROR  BuildFailed: The platform reports BUILD_ERROR for commit 1a2b3c4.",
  );
});

it.each([
  ["four", 4, "four"],
  ["four", 3, "fo…"],
  ["four", 1, "…"],
  ["four", 0, ""],
])("fitWidth(%j, %d) is %j", (text, width, fitted) => {
  expect(fitWidth(text, width)).toBe(fitted);
});

describe("changes on a terminal", () => {
  const changed = (version: number) =>
    stored("PlatformProject", "shop", { metadata: { resourceVersion: String(version) } });

  /** A terminal that shows the version of the object. */
  function watching() {
    const clock = manualClock();
    const store = createStore((error) => {
      throw error;
    });
    const shown: string[] = [];
    const screen = createScreen({ isTTY: true, write: (text) => shown.push(text) });
    const render = () => store.list("PlatformProject").map(({ metadata }) => metadata.resourceVersion);
    const stop = showChanges({ store, screen, clock, render, concerns: () => true });
    return { clock, store, shown, stop };
  }

  it("within 100 ms are drawn together", async () => {
    const { clock, store, shown } = watching();
    const before = shown.length;
    for (let version = 1; version <= 50; version += 1) store.upsert(changed(version));
    expect(shown).toHaveLength(before);
    await clock.advance(100);
    expect(shown.slice(before)).toEqual([expect.stringContaining("50\n")]);
    store.upsert(changed(51));
    await clock.advance(100);
    expect(shown.at(-1)).toContain("51\n");
  });

  it("that are not drawn yet are drawn at the end", () => {
    const { clock, store, shown, stop } = watching();
    store.upsert(changed(1));
    stop();
    expect(shown.at(-1)).toContain("1\n");
    expect(clock.pending()).toBe(0);
  });
});
