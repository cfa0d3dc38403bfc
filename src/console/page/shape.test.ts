import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandsFor, hashOf, SHOWS, viewOf, type PageQuery } from "./shape.ts";

describe("the address of a view on the status page", () => {
  it.each<[string, Partial<PageQuery>]>([
    ["", {}],
    ["#show=not-ready&text=a+b&page=2&at=A/shop/api", { show: "not-ready", text: "a b", page: 2, at: "A/shop/api" }],
  ])("%j names the view that it is made of", (hash, shown) => {
    const view = { show: "all", text: "", page: 1, at: "", ...shown } as const;
    expect(hashOf(view)).toBe(hash);
    expect(viewOf(hash)).toEqual(view);
  });

  it("contains everything of the view", () => {
    const views = fc.record({
      show: fc.constantFrom(...SHOWS),
      text: fc.string({ unit: "grapheme" }),
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
  it("include the log for an application", () => {
    expect(commandsFor({ short: "papp", namespace: "shop", name: "api" })).toEqual([
      "kubectl describe papp api -n shop",
      "kubectl platform status papp/api -n shop",
      "kubectl platform logs api -n shop",
    ]);
  });

  it("omit the namespace for a cluster-scoped object", () => {
    expect(commandsFor({ short: "cpconn", namespace: "", name: "default" })).toEqual([
      "kubectl describe cpconn default",
      "kubectl platform status cpconn/default",
    ]);
  });

  it("are quoted for a shell, whatever the object's name is", () => {
    expect(commandsFor({ short: "pproj", namespace: "a b", name: "$(rm -rf ~)'" })[0]).toBe(
      String.raw`kubectl describe pproj '$(rm -rf ~)'\''' -n 'a b'`,
    );
  });
});
