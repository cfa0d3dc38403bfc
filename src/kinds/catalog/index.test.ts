import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { essentials, failed, fakePlatform, NOW } from "../../../test/support/kinds/bindings.ts";
import { buildContext } from "../../../test/support/kinds/contexts.ts";
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import type { Template } from "../../platform/areas/templates.ts";
import type { ReadOptions } from "../../platform/client/caller.ts";
import { parseExactJson } from "../../platform/codec/json.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { type CatalogMemory, platformCatalog } from "./crd.ts";
import { catalog, type CatalogTypes, digestOf, documentsOf, MAX_BYTES } from "./index.ts";
import type { Section } from "./sections.ts";

const all = ["GitRepositories", "Templates", "DatabaseTypes", "CloudProviders"];

const context = (change: object = {}, memory: CatalogMemory = {}, more: object = {}) =>
  buildContext<ReconcileContext<CatalogTypes>>(
    { name: "full", spec: platformCatalog.spec.parse(change), inputs: {}, memory },
    more,
  );

const GCP = { shortName: "GCP", regions: [] };
const AWS = { shortName: "AWS", regions: [{ name: "eu-west-3", zones: ["a"] }] };
const REPOSITORIES = ["2", "1"].map((id) => ({ id, name: `acme/${id}`, url: "u" }));

/** A platform with these answers, and the reads that it received. */
function platform(
  templates: readonly Template[] | ApiError = [essentials],
  repositories: typeof REPOSITORIES | ApiError = REPOSITORIES,
) {
  const asked: [name: string, query: unknown, maxAgeMs: number | undefined][] = [];
  const list = async <T>(name: string, answer: T | ApiError, query: unknown, options?: ReadOptions): Promise<T> => {
    asked.push([name, query, options?.maxAgeMs]);
    if (answer instanceof ApiError) throw answer;
    return answer;
  };
  const api: Platform = fakePlatform({
    templates: { list: (query, options) => list("templates", templates, query, options) },
    catalog: {
      cloudProviders: (options) => list("cloudProviders", [GCP, AWS], undefined, options),
      managedDatabaseTypes: (options) => list("databaseTypes", [{ name: "POSTGRESQL" }], undefined, options),
    },
    organization: {
      gitRepositories: (query, options) => list("gitRepositories", repositories, query?.gitTokenId, options),
    },
  });
  return { api, asked };
}

const reportOf = async (given = context({ include: all }), ...answers: Parameters<typeof platform>) =>
  catalog.report(given, await catalog.observe(given, platform(...answers).api));

const bytesOf = (data: Readonly<Record<string, string>>): number =>
  Object.values(data).reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);

describe("a catalog", () => {
  const gitTokenId = "00000000-0000-4000-8000-0000000000c1";
  const cluster = { mode: "CUSTOMER_MANAGED", provider: "AWS" };
  const narrowed = { clusterMode: "CUSTOMER_MANAGED", cloudProvider: "AWS" };

  it.each<[string, object, object, ReturnType<typeof platform>["asked"]]>([
    ["the templates, unless it says otherwise", {}, {}, [["templates", undefined, 30_000]]],
    ["the templates of its kind of cluster", { cluster }, {}, [["templates", narrowed, 30_000]]],
    ["at once when the user asks", {}, { requested: "now" }, [["templates", undefined, 0]]],
    ["only what it includes", { include: ["CloudProviders"] }, {}, [["cloudProviders", undefined, 30_000]]],
    ["all repositories", { include: ["GitRepositories"] }, {}, [["gitRepositories", undefined, 30_000]]],
    ["those of a token", { include: ["GitRepositories"], gitTokenId }, {}, [["gitRepositories", gitTokenId, 30_000]]],
  ])("reads %s", async (_what, change, more, expected) => {
    const { api, asked } = platform();
    await catalog.observe(context(change, {}, more), api);
    expect(asked).toEqual(expected);
  });

  it("writes a document per section, one item a line, in an order of its own", async () => {
    const { output } = await reportOf();
    expect(output?.name).toBe("full-catalog");
    const files = ["cloudProviders", "databaseTypes", "gitRepositories", "templates"].map((name) => `${name}.json`);
    expect(Object.keys(output?.data ?? {}).toSorted()).toEqual(files);
    expect(output?.data["cloudProviders.json"]).toBe(
      '{\n"results":[\n{"shortName":"AWS","regions":[{"name":"eu-west-3","zones":["a"]}]},\n{"shortName":"GCP","regions":[]}\n]\n}\n',
    );
  });

  it("counts, and says where the content is", async () => {
    const { ready, status, conditions, drift } = await reportOf();
    expect(ready).toEqual({ reason: "Available", message: 'The catalog is in ConfigMap "full-catalog".' });
    expect(status).toEqual({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      changedAt: "2026-11-21T10:00:00Z",
      configMap: "full-catalog",
      counts: { templates: 1, cloudProviders: 2, databaseTypes: 1, gitRepositories: 2 },
    });
    expect(conditions).toEqual([]);
    expect(drift).toBeUndefined();
  });

  it("reports the same for the same content, whatever its order and the time", async () => {
    const two = [essentials, { ...essentials, version: "1.1.0" }];
    const first = await reportOf(context({}), two);
    const memory = platformCatalog.memory.parse(first.status);
    const later = context({}, memory, { now: new Date(NOW.getTime() + 3_600_000) });
    expect(await reportOf(later, two.toReversed())).toEqual(first);
    const changed = await reportOf(later, [essentials]);
    expect(changed.status["digest"]).not.toBe(first.status["digest"]);
    expect(changed.status["changedAt"]).toBe("2026-11-21T11:00:00Z");
  });

  it.each([
    ["Refused", 0],
    ["Invalid", 400],
    ["Forbidden", 403],
    ["Unauthorized", 401],
  ] as const)("shows a section that the platform refuses as %s, and continues with the others", async (is, code) => {
    const { ready, status, output } = await reportOf(undefined, undefined, failed(is, code));
    const message: unknown = expect.stringContaining("GitRepositories cannot be read: said.");
    expect(ready).toMatchObject({ reason: "Available", message });
    expect(status["counts"]).toEqual({ templates: 1, cloudProviders: 2, databaseTypes: 1 });
    expect(output?.data["gitRepositories.json"]).toBe('{\n"error":"said",\n"results":[\n\n]\n}\n');
  });

  it.each(["Unauthorized", "Unreachable", "RateLimited"] as const)(
    "throws %s, which the connection reports, so that the last good content stays",
    async (is) => {
      await expect(reportOf(undefined, failed(is, 503))).rejects.toThrow("said");
    },
  );

  it("throws if no section can be read, so that the last good content stays", async () => {
    await expect(reportOf(context({}), failed("Server", 503))).rejects.toThrow("said");
  });

  it.each(["Server", "Forbidden", "BadResponse"] as const)(
    "leaves a section that was never read as it is in the ConfigMap after %s, and goes on with the others",
    async (is) => {
      const memory = { digest: "known", changedAt: "2026-11-20T10:00:00Z" };
      const given = context({ include: ["Templates", "GitRepositories"] }, memory);
      const observed = await catalog.observe(given, platform(failed(is, 503)).api);
      const { ready, status, output } = catalog.report(given, observed);
      expect(ready.message).toContain("Templates was not read, and keeps what is there: said.");
      expect(status).toMatchObject({ ...memory, counts: { gitRepositories: 2 } });
      expect(Object.keys(output?.data ?? {})).toEqual(["gitRepositories.json"]);
      expect(output?.keeps).toEqual(["templates.json"]);
      expect(catalog.plan(given, observed)).toEqual({ is: "settled", again: 60_000 });
    },
  );

  it("keeps the last repositories of a token that the platform does not accept any more", async () => {
    let repositories: typeof REPOSITORIES | ApiError = REPOSITORIES;
    const read = () =>
      repositories instanceof ApiError ? Promise.reject(repositories) : Promise.resolve(repositories);
    const api = fakePlatform({ organization: { gitRepositories: read } });
    const given = context({ include: ["GitRepositories"] });
    const first = catalog.report(given, await catalog.observe(given, api));
    repositories = failed("Forbidden", 403);
    const second = catalog.report(given, await catalog.observe(given, api));
    expect(second.output?.data).toEqual(first.output?.data);
    expect(second.ready.message).toContain("GitRepositories keeps its last content: said.");
  });

  it("keeps the last content of a section that fails, says so, and goes on with the others", async () => {
    let templates: readonly Template[] | ApiError = [essentials];
    let repositories = REPOSITORIES;
    const api = fakePlatform({
      templates: {
        list: () => (templates instanceof ApiError ? Promise.reject(templates) : Promise.resolve(templates)),
      },
      organization: { gitRepositories: () => Promise.resolve(repositories) },
    });
    const given = context({ include: ["Templates", "GitRepositories"] });
    const read = async () => catalog.report(given, await catalog.observe(given, api));
    const first = await read();
    [templates, repositories] = [failed("Server", 500), REPOSITORIES.slice(1)];
    const second = await read();
    expect(second.ready.message).toBe(`${first.ready.message} Templates keeps its last content: said.`);
    expect(second.output?.data["templates.json"]).toBe(first.output?.data["templates.json"]);
    expect(second.status["counts"]).toEqual({ templates: 1, gitRepositories: 1 });
    repositories = REPOSITORIES;
    expect((await read()).status["digest"]).toBe(first.status["digest"]);
  });

  it.each(Object.entries({ "10m": 600_000, "2h": 7_200_000 }))("is read again after %s", async (interval, again) => {
    const given = context({ interval });
    expect(catalog.plan(given, await catalog.observe(given, platform().api))).toEqual({ is: "settled", again });
  });

  it("leaves out what does not fit, and reports how much", async () => {
    const big = { ...essentials, description: "é".repeat(100_000) };
    const versions = Array.from({ length: 10 }, (_each, index) => ({ ...big, version: `${index}` }));
    const { ready, status, output } = await reportOf(undefined, versions);
    const words = "6 entries of templates.json are left out: the operator writes at most 900 KiB into a ConfigMap.";
    expect(ready.message).toContain(words);
    expect(status["counts"]).toMatchObject({ templates: 10, gitRepositories: 2 });
    const data = output?.data ?? {};
    expect(parseExactJson(data["templates.json"] ?? "")).toMatchObject({ omitted: 6, results: { length: 4 } });
    expect(parseExactJson(data["gitRepositories.json"] ?? "")).toEqual({ results: REPOSITORIES.toReversed() });
    expect(bytesOf(data)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it("names its ConfigMap within what Kubernetes takes", async () => {
    const named = async (name: string) => (await reportOf(context({}, {}, { name }))).output?.name ?? "";
    expect(await named(`${"a".repeat(244)}.bbbbbb`)).toBe(`${"a".repeat(244)}-catalog`);
    expect((await named("b".repeat(253))).length).toBe(253);
  });
});

const section = (name: Section["name"], items: readonly object[], error?: string): Section => {
  return { section: "Templates", name, items, error };
};

const times = (count: number, item: object): readonly object[] => Array.from({ length: count }, () => item);

describe("the documents of a catalog", () => {
  it("keep every digit", () => {
    const { data } = documentsOf([section("templates", [{ max: 9_223_372_036_854_775_807n }])]);
    expect(data["templates.json"]).toBe('{\n"results":[\n{"max":9223372036854775807}\n]\n}\n');
  });

  it("count the text around the items", () => {
    const names = ["databaseTypes", "cloudProviders", "templates", "gitRepositories"] as const;
    const sections = names.map((name) => section(name, times(2000, {}), "e".repeat(300)));
    const { data } = documentsOf(sections, 10_000);
    expect(bytesOf(data)).toBeLessThanOrEqual(10_000);
    expect(bytesOf(data)).toBeGreaterThan(5_000);
  });

  it("are JSON and within their bounds, whatever is in them", () => {
    const items = fc.array(fc.record({ name: fc.string({ unit: "binary" }), more: fc.jsonValue() }), { maxLength: 8 });
    const sections = fc.array(fc.tuple(items, fc.option(fc.string(), { nil: undefined })), { maxLength: 1 });
    fc.assert(
      fc.property(sections, fc.integer({ min: 2048, max: 4096 }), (given, maxBytes) => {
        const documents = given.map(([own, error]) => section("templates", own, error));
        const { data } = documentsOf(documents, maxBytes);
        for (const text of Object.values(data)) expect(parseExactJson(text)).toHaveProperty("results");
        expect(bytesOf(data)).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 50 },
    );
  });

  it("have a digest of everything, also of what did not fit", async () => {
    const of = (count: number) => digestOf([section("templates", times(count, { name: "x".repeat(300_000) }))]);
    expect(await of(4)).not.toBe(await of(5));
    expect(await digestOf([])).toBe("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  });
});
