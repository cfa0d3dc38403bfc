import { once } from "node:events";
import { request } from "node:http";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { applicationOf, environmentOf, projectOf } from "../../../test/support/platform/status-page-objects.ts";
import type { HttpServer } from "../../http/server.ts";
import { systemClock } from "../../kube/api/clock.ts";
import { createStore, type Store } from "../../kube/watch/store.ts";
import { startStatusPage } from "./server.ts";
import type { About } from "./shape.ts";

const CANARY = "c4n4ry-spec-value";
const about: About = { version: "1.2.3", instance: "pod-1", isLeading: true, waitingFor: null, silentMs: 12 };
let store: Store;
let server: HttpServer;

const seen = {
  ...{ type: "Warning", reason: "BuildFailed", note: "The build failed.", count: 3 },
  lastObservedTime: "2026-11-21T09:48:00Z",
};
const start = async (): Promise<void> => {
  const consoleLinks = new Map([["PlatformApplication", "https://console.example.com/{parentId}/{id}"]]);
  const options = { clock: systemClock(), store, about: () => about, events: () => [seen], consoleLinks };
  server = await startStatusPage({ host: "127.0.0.1", port: 0 }, options);
};
beforeEach(async () => {
  store = createStore(() => {});
  await start();
});
afterEach(() => server.stop());

async function get(path: string, init?: RequestInit) {
  const answer = await fetch(`${server.url}${path}`, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe("[S3] the status page's server", () => {
  it.each([
    ["/", "text/html; charset=utf-8", "<title>Platform Operator</title>"],
    ["/app.js", "text/javascript; charset=utf-8", "EventSource"],
    ["/style.css", "text/css; charset=utf-8", "prefers-reduced-motion"],
    ["/icon.svg", "image/svg+xml", "<svg"],
  ])("serves %s", async (path, type, part) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(text).toContain(part);
  });

  it("serves a page below 50 KB that loads nothing from another server", async () => {
    const files = await Promise.all(["/", "/app.js", "/style.css", "/icon.svg"].map((path) => get(path)));
    const all = files.map(({ text }) => text).join("");
    expect(Buffer.byteLength(all)).toBeLessThan(50_000);
    expect(all.match(/(?:https?:)?\/\/[a-z][\w.]*/gi)).toEqual(["http://www.w3.org"]);
    // The page has no inline code and no conversion of text to HTML.
    expect(all).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\bon\w+="|style="/);
  });

  it("answers with the tree as JSON", async () => {
    const { metadata, ...rest } = projectOf("web");
    const annotations = { note: CANARY };
    const spec = { name: "web", description: CANARY };
    store.upsert({ ...rest, spec, metadata: { ...metadata, annotations, labels: { note: CANARY } } });
    store.upsert(environmentOf("production", "web"));
    const { status, headers, text } = await get("/api/tree");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    const web = { name: "web", depth: 0, mark: "ready" };
    expect(JSON.parse(text)).toMatchObject({
      operator: about,
      matched: 2,
      rows: [web, { name: "production", depth: 1 }],
    });
    expect(text).not.toContain(CANARY);
  });

  it("answers with the conditions, events, deployments and the console's address of an object, and nothing of its spec", async () => {
    const lastDeployment = {
      ...{ gitCommitId: "bad0c0d1", state: "BUILD_ERROR" },
      ...{ startedAt: "2026-11-21T09:46:00Z", finishedAt: "2026-11-21T09:48:00Z" },
    };
    const earlier = { commit: "1a2b3c4d", state: "DEPLOYED", at: "2026-11-20T09:00:00Z" };
    const status = {
      externalId: "a1",
      writeLedger: { identity: { parentId: "e1" } },
      lastDeployment,
      history: [earlier],
    };
    store.upsert({ ...applicationOf("api", "x", { status }), spec: { name: "api", description: CANARY } });
    const { status: code, text } = await get("/api/object?id=PlatformApplication/shop/api");
    expect(code).toBe(200);
    expect(JSON.parse(text)).toEqual({
      conditions: [
        { type: "Ready", status: "True", reason: "Available", message: "It is there.", since: "2026-11-21T09:48:00Z" },
      ],
      events: [seen],
      deployments: [{ commit: "bad0c0d1", state: "BUILD_ERROR", at: "2026-11-21T09:48:00Z", seconds: 120 }, earlier],
      consoleUrl: "https://console.example.com/e1/a1",
    });
    expect(text).not.toContain(CANARY);
  });

  it("names no address in the console while an id of it is unknown", async () => {
    store.upsert(applicationOf("api", "x", { status: { externalId: "a1" } }));
    const { text } = await get("/api/object?id=PlatformApplication/shop/api");
    expect(JSON.parse(text)).not.toHaveProperty("consoleUrl");
  });

  it.each(["PlatformApplication/shop/gone", "Secret/shop/token", "", "x"])("has no object %j", async (id) => {
    expect(await get(`/api/object?id=${id}`)).toMatchObject({ status: 404, text: "no such object\n" });
  });

  it("answers hostile texts as JSON that no browser takes for a page", async () => {
    const message = `<script>alert(1)</script>\u202e\u0000"'`;
    store.upsert(applicationOf("api", "x", { conditions: { Ready: ["False", "<b>", message] } }));
    const { headers, text } = await get("/api/tree");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(JSON.parse(text)).toMatchObject({ rows: [{ reason: "<b>", message: `<script>alert(1)</script> "'` }] });
  });

  it("sends strict security headers with every answer, errors included", async () => {
    for (const path of ["/", "/app.js", "/api/tree", "/api/tree?page=0", "/nothing"]) {
      const { headers } = await get(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self';.* frame-ancestors 'none';.* trusted-types 'none'$/,
        ),
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("answers %s with 405", async (method) => {
    for (const path of ["/", "/api/tree", "/api/events", "/nothing"]) {
      const { status, headers } = await get(path, { method });
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe("GET, HEAD");
    }
  });

  it.each([
    ["/nothing", 404],
    ["/index.html", 404],
    ["/constructor", 404],
    ["/../package.json", 404],
    ["/api/tree?show=everything", 400],
    ["/api/tree?page=-1", 400],
  ])("answers GET %s with %i", async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it.each(["/", "/api/tree", "/api/events"])("answers HEAD %s with headers alone", async (path) => {
    const { status, headers, text } = await get(path, { method: "HEAD" });
    expect(status).toBe(200);
    expect(text).toBe("");
    expect(headers.get("content-type")).toMatch(/charset=utf-8$/);
  });

  it("answers 421 to a foreign host name that leads to its address", async () => {
    const { hostname, port } = new URL(server.url);
    for (const [host, status] of [
      ["attacker.example", 421],
      [`localhost:${port}`, 200],
    ] as const) {
      const asked = request({ hostname, port, path: "/api/tree", headers: { host } }).end();
      const [answer] = (await once(asked, "response")) as [{ statusCode: number; resume(): void }];
      answer.resume();
      expect(answer.statusCode).toBe(status);
    }
  });

  it("sends followers an event after a change, and rejects the 33rd follower", async () => {
    const ended = new AbortController();
    const follow = () => fetch(`${server.url}/api/events`, { signal: ended.signal });
    const streams = await Promise.all(Array.from({ length: 32 }, follow));
    const readers = streams.map(({ body }) => body!.pipeThrough(new TextDecoderStream()).getReader());
    for (const reader of readers) expect((await reader.read()).value).toBe("event: alive\ndata:\n\n");
    const refused = await get("/api/events");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("30");
    store.upsert(projectOf("web"));
    for (const reader of readers) expect((await reader.read()).value).toBe("event: changed\ndata:\n\n");
    ended.abort();
  });

  it("ends the streams of its followers when it stops", async () => {
    const { body } = await fetch(`${server.url}/api/events`);
    const reader = body!.getReader();
    await reader.read();
    await server.stop();
    await expect(reader.read()).rejects.toThrow("terminated");
    // The hook stops the server, so one has to run.
    await start();
  });
});
