import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { commandsFor, hashOf, SHOWS, viewOf, type PageQuery } from "./shape.ts";

describe("the address of a view", () => {
  it.each<[string, Partial<PageQuery>]>([
    ["", {}],
    ["#show=not-ready&text=a+b&page=2&at=A/shop/api", { show: "not-ready", text: "a b", page: 2, at: "A/shop/api" }],
  ])("%s leads there and back", (hash, shown) => {
    const view = { show: "all", text: "", page: 1, at: "", ...shown } as const;
    expect(hashOf(view)).toBe(hash);
    expect(viewOf(hash)).toEqual(view);
  });

  it("leads back to any view", () => {
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

  it.each(["#show=x", "#page=x", "#page=-3", "#page=1.5", "#%"])("%s leads to the usual view", (hash) => {
    expect(viewOf(hash)).toMatchObject({ show: "all", page: 1 });
  });
});

describe("the commands", () => {
  it("of an application lead to its log too", () => {
    expect(commandsFor({ short: "papp", namespace: "shop", name: "api" })).toEqual([
      "kubectl describe papp api -n shop",
      "kubectl platform status papp/api -n shop",
      "kubectl platform logs api -n shop",
    ]);
  });

  it("of an object of the cluster name no namespace", () => {
    expect(commandsFor({ short: "cpconn", namespace: "", name: "default" })).toEqual([
      "kubectl describe cpconn default",
      "kubectl platform status cpconn/default",
    ]);
  });

  it("stay one word each for a shell, whatever the name", () => {
    expect(commandsFor({ short: "pproj", namespace: "a b", name: "$(rm -rf ~)'" })[0]).toBe(
      String.raw`kubectl describe pproj '$(rm -rf ~)'\''' -n 'a b'`,
    );
  });
});
