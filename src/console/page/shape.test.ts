import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandsFor, shownCommit, hashOf, SHOWS, viewOf, type PageQuery } from "./shape.ts";

describe("the address of a view on the status page", () => {
  it.each<[string, Partial<PageQuery>]>([
    ["", {}],
    ["#show=not-ready&text=a+b&page=2&at=A/shop/api", { show: "not-ready", text: "a b", page: 2, at: "A/shop/api" }],
    ["#namespace=shop&kind=PlatformProject", { namespace: "shop", kind: "PlatformProject" }],
  ])("%j names the view that it is made of", (hash, shown) => {
    const view = { show: "all", text: "", namespace: "", kind: "", page: 1, at: "", ...shown } as const;
    expect(hashOf(view)).toBe(hash);
    expect(viewOf(hash)).toEqual(view);
  });

  it("contains everything of the view", () => {
    const views = fc.record({
      show: fc.constantFrom(...SHOWS),
      text: fc.string({ unit: "grapheme" }),
      namespace: fc.string(),
      kind: fc.string(),
      page: fc.integer({ min: 1, max: 999 }),
      at: fc.string(),
    });
    fc.assert(
      fc.property(views, (view) => {
        expect(viewOf(hashOf(view))).toEqual(view);
      }),
    );
  });

  it.each(["#show=x", "#page=x", "#page=-3", "#page=1.5", "#%"])("%s is read as the default view", (hash) => {
    expect(viewOf(hash)).toMatchObject({ show: "all", page: 1 });
  });
});

describe("the commands that the status page offers", () => {
  const api = {
    short: "papp",
    namespace: "shop",
    name: "api",
    mark: "ready",
    reason: "Deployed",
    externalId: "a1",
  } as const;

  it("include the log for an application", () => {
    expect(commandsFor(api)).toEqual([
      "kubectl platform logs papp/api -n shop",
      "kubectl platform status papp/api -n shop",
      "kubectl describe papp api -n shop",
    ]);
  });

  it("omit the log for an application that does not exist on the platform yet", () => {
    expect(commandsFor({ ...api, externalId: "" })).not.toContain("kubectl platform logs papp/api -n shop");
  });

  it.each([
    ["a commit that does not build", { ...api, mark: "stalled", reason: "BuildFailed" }, ["rollback", "reconcile"]],
    ["a plan that waits", { ...api, mark: "working", reason: "ApprovalPending" }, ["approve"]],
    ["a pause", { ...api, mark: "warned", reason: "ReconcilePaused" }, ["resume"]],
    ["a parent that is missing", { ...api, mark: "stalled", reason: "ParentNotFound" }, ["trace"]],
    ["a refusal by the platform", { ...api, mark: "stalled", reason: "Rejected" }, ["trace", "reconcile"]],
    ["an object that is Ready", api, []],
  ] as const)("fit %s", (_what, row, words) => {
    expect(commandsFor(row).slice(0, -3)).toEqual(words.map((word) => `kubectl platform ${word} papp/api -n shop`));
  });

  it("omit the namespace for a cluster-scoped object", () => {
    expect(commandsFor({ ...api, short: "cpconn", namespace: "", name: "default" })).toEqual([
      "kubectl platform status cpconn/default",
      "kubectl describe cpconn default",
    ]);
  });

  it("are quoted for a shell, whatever the object's name is", () => {
    expect(commandsFor({ ...api, short: "pproj", namespace: "a b", name: "$(rm -rf ~)'" }).at(-1)).toBe(
      String.raw`kubectl describe pproj '$(rm -rf ~)'\''' -n 'a b'`,
    );
  });
});

it("a line says after a failed deployment which commit still runs", () => {
  expect(shownCommit({ commit: "1a2b3c4", reason: "BuildFailed" })).toBe("still runs 1a2b3c4");
  expect(shownCommit({ commit: "1a2b3c4", reason: "Deployed" })).toBe("1a2b3c4");
  expect(shownCommit({ commit: "", reason: "BuildFailed" })).toBe("");
});
