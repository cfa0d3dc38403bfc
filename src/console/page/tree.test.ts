import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { applicationOf, environmentOf, projectOf } from "../../../test/support/platform/status-page-objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { createStore } from "../../kube/watch/store.ts";
import { summariesOf, hierarchyOf } from "../tree/hierarchy.ts";
import { MAX_TEXT, PAGE_SIZE, SHOWS, type PageQuery } from "./shape.ts";
import { createTrees, parsePageQuery, partOf, treeOf, type Tree } from "./tree.ts";

const tree = (...objects: readonly KubeObject[]): Tree => treeOf(hierarchyOf(summariesOf(objects)));
const everything: PageQuery = { show: "all", text: "", namespace: "", kind: "", page: 1, at: "" };
const ask = (query: Partial<PageQuery> = {}): PageQuery => ({ ...everything, ...query });
const inNamespace = (namespace: string, object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});

const conditions = {
  Ready: ["False", "BuildFailed", ""],
  Stalled: ["True", "BuildFailed", "Look at the log."],
} as const;
const shop = tree(
  projectOf("web"),
  environmentOf("production", "web"),
  applicationOf("api", "production", { conditions, status: { state: "BUILD_ERROR", commit: "bad0c0d" } }),
  applicationOf("site", "production"),
  environmentOf("staging", "web"),
);
const LONGEST = "x".repeat(MAX_TEXT);
const names = (part: ReturnType<typeof partOf>): readonly string[] =>
  part.rows.map(({ name, depth, isContext }) => `${"-".repeat(depth)}${name}${isContext ? " (context)" : ""}`);

describe("a query of the status page", () => {
  it.each<[string, PageQuery]>([
    ["", ask()],
    ["show=not-ready&page=3", ask({ show: "not-ready", page: 3 })],
    [`text=${LONGEST}`, ask({ text: LONGEST })],
    ["namespace=shop&kind=PlatformProject", ask({ namespace: "shop", kind: "PlatformProject" })],
    ["text=%20API%20&at=PlatformProject/shop/web", ask({ text: "api", at: "PlatformProject/shop/web" })],
  ])("is parsed from %j", (search, query) => {
    expect(parsePageQuery(new URLSearchParams(search))).toEqual(query);
  });

  const pages = ["0", "-1", "1.5", "1e3", "1000000"].map((page) => `page=${page}`);
  it.each(["show=everything", ...pages, `text=${LONGEST}x`])("is invalid as %s", (search) => {
    expect(parsePageQuery(new URLSearchParams(search))).toBeUndefined();
  });
});

describe("the part of the tree that answers a query", () => {
  it("contains all objects, parents first, with the counts of all marks", () => {
    const part = partOf(shop, ask());
    expect(names(part)).toEqual(["web", "-production", "--api", "--site", "-staging"]);
    expect(part).toMatchObject({ matched: 5, page: 1, pages: 1, counts: { ready: 4, stalled: 1, working: 0 } });
  });

  const drifted = { Ready: ["True", "Deployed", ""], Drifted: ["True", "DriftDetected", "cpu differs."] } as const;

  it("shows what needs attention after what is Stalled, in a namespace and among namespaces", () => {
    const part = partOf(
      tree(
        projectOf("web"),
        environmentOf("production", "web"),
        ...["a", "b", "c"].map((name) =>
          applicationOf(name, "production", name === "c" ? { conditions: drifted } : {}),
        ),
        applicationOf("d", "production", { conditions }),
        inNamespace("a-team", projectOf("calm")),
        inNamespace("b-team", projectOf("changed", { conditions: drifted })),
      ),
      ask(),
    );
    expect(names(part)).toEqual(["web", "-production", "--d", "--c", "--a", "--b", "changed", "calm"]);
  });

  it("shows what needs a person first, then names in natural order", () => {
    const many = tree(
      projectOf("web"),
      ...["stage-10", "stage-2", "stage-3"].map((name) => environmentOf(name, "web")),
      applicationOf("api", "stage-3", { conditions }),
      projectOf("a-project"),
    );
    const order = ["web", "-stage-3", "--api", "-stage-2", "-stage-10", "a-project"];
    expect(names(partOf(many, ask()))).toEqual(order);
  });

  const teams = tree(
    ...["team-10", "team-2", "team-3"].map((name) => inNamespace(name, projectOf("web"))),
    inNamespace("team-3", applicationOf("api", "gone", { conditions })),
    inNamespace("team-10", applicationOf("site", "gone")),
  );

  it("is in order of namespaces, first those in which something needs a person", () => {
    const places = partOf(teams, ask()).rows.map(({ namespace, name }) => `${namespace}/${name}`);
    expect(places).toEqual(["team-3/api", "team-3/web", "team-2/web", "team-10/web", "team-10/site"]);
  });

  it("is limited to the chosen namespace and kind, with their counts and all that can be chosen", () => {
    const part = partOf(teams, ask({ namespace: "team-10", kind: "PlatformApplication" }));
    expect(names(part)).toEqual(["site"]);
    expect(part).toMatchObject({
      matched: 1,
      counts: { ready: 1, stalled: 0 },
      kinds: ["PlatformProject", "PlatformApplication"],
      namespaces: [
        { name: "team-2", counts: { ready: 0, stalled: 0 } },
        { name: "team-3", counts: { ready: 0, stalled: 1 } },
        { name: "team-10", counts: { ready: 1, stalled: 0 } },
      ],
    });
  });

  it("contains the fields of an object that the page shows, and nothing of its spec", () => {
    expect(partOf(shop, ask()).rows[2]).toEqual({
      id: "PlatformApplication/shop/api",
      word: "application",
      short: "papp",
      namespace: "shop",
      name: "api",
      depth: 2,
      mark: "stalled",
      state: "BUILD_ERROR",
      reason: "BuildFailed",
      message: "Look at the log.",
      since: "2026-11-21T09:48:00Z",
      commit: "bad0c0d",
      externalId: "",
      isContext: false,
    });
  });

  it.each<[string, Partial<PageQuery>, readonly string[], number]>([
    ["of one mark", { show: "stalled" }, ["web (context)", "-production (context)", "--api"], 1],
    ["that are not ready", { show: "not-ready" }, ["web (context)", "-production (context)", "--api"], 1],
    ["whose state contains a text", { text: "build_err" }, ["web (context)", "-production (context)", "--api"], 1],
    ["whose kind contains a text", { text: "environment" }, ["web (context)", "-production", "-staging"], 2],
    ["that match a mark and a text", { show: "ready", text: "bad0c0d" }, [], 0],
  ])("contains the objects %s, each below its parents", (_which, query, rows, matched) => {
    const part = partOf(shop, ask(query));
    expect(names(part)).toEqual(rows);
    expect(part).toMatchObject({ matched, counts: { ready: 4, stalled: 1 } });
  });

  const applications = Array.from({ length: PAGE_SIZE + 50 }, (_, index) =>
    applicationOf(`app-${String(index).padStart(3, "0")}`, "production"),
  );
  const many = tree(projectOf("web"), environmentOf("production", "web"), ...applications);

  it("is divided into pages, which begin with the parents of their first object", () => {
    expect(partOf(many, ask()).rows).toHaveLength(PAGE_SIZE);
    const second = partOf(many, ask({ page: 2 }));
    expect(second).toMatchObject({ page: 2, pages: 2, matched: PAGE_SIZE + 52 });
    expect(names(second).slice(0, 3)).toEqual(["web (context)", "-production (context)", "--app-498"]);
    expect(second.rows).toHaveLength(54);
  });

  it("is the last page for a number beyond it, and the page with the object of the query", () => {
    expect(partOf(many, ask({ page: 9 })).page).toBe(2);
    expect(partOf(many, ask({ at: "PlatformApplication/shop/app-540" })).page).toBe(2);
    expect(partOf(many, ask({ at: "PlatformApplication/shop/gone" })).page).toBe(1);
  });

  it("shortens a message that is longer than the page can show", () => {
    const talkative = tree(projectOf("web", { conditions: { Ready: ["True", "Available", "é".repeat(20_000)] } }));
    expect(Buffer.byteLength(partOf(talkative, ask()).rows[0]?.message ?? "")).toBeLessThanOrEqual(1_024);
  });

  it("contains every object exactly once over its pages, whatever the query is", () => {
    const queries = fc.record({ show: fc.constantFrom(...SHOWS), text: fc.constantFrom("", "1", "app", "web", "zzz") });
    fc.assert(
      fc.property(queries, (query) => {
        const { pages, matched } = partOf(many, ask(query));
        const pageAt = (_: unknown, index: number) => partOf(many, ask({ ...query, page: index + 1 })).rows;
        const own = Array.from({ length: pages }, pageAt)
          .flat()
          .filter(({ isContext }) => !isContext);
        expect(new Set(own.map(({ id }) => id)).size).toBe(matched);
        expect(own).toHaveLength(matched);
      }),
    );
  });
});

function watched() {
  const store = createStore((error) => expect.unreachable(String(error)));
  const trees = createTrees(store, manualClock());
  store.subscribe(trees.changed);
  const names = async () => (await trees.read()).nodes.map(({ summary, depth }) => `${depth} ${summary.name}`);
  return { store, trees, names };
}

describe("the tree of the cached objects", () => {
  it("follows every change", async () => {
    const { store, names } = watched();
    expect(await names()).toEqual([]);
    const project = projectOf("web");
    const production = environmentOf("production", "web");
    for (const object of [applicationOf("api", "production"), production, project]) store.upsert(object);
    expect(await names()).toEqual(["0 web", "1 production", "2 api"]);
    store.remove(environmentOf("production", "web"));
    expect(await names()).toEqual(["0 web", "0 api"]);
  });

  it("is computed once for all readers until an object changes", async () => {
    const { store, trees } = watched();
    store.upsert(projectOf("web"));
    const [first, second] = await Promise.all([trees.read(), trees.read()]);
    expect(second).toBe(first);
    expect(await trees.read()).toBe(first);
    store.upsert(projectOf("web"));
    expect(await trees.read()).not.toBe(first);
  });

  it("contains an object that was added during its computation", async () => {
    const store = createStore(() => {});
    let now = 0;
    // Each reading of the clock is later by more than a slice: the tree yields after every object.
    const trees = createTrees(store, { monotonic: () => (now += 100) });
    store.subscribe(trees.changed);
    for (const name of ["a", "b", "c"]) store.upsert(projectOf(name));
    const reading = trees.read();
    store.upsert(projectOf("d"));
    expect((await reading).nodes.map(({ summary }) => summary.name)).toEqual(["a", "b", "c", "d"]);
    expect(partOf(await trees.read(), ask()).counts).toMatchObject({ ready: 4 });
  });
});
