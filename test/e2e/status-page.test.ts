/** The status page in a real browser, with a cache that the tests fill. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { startStatusPage } from "../../src/console/page/server.ts";
import { type About, PAGE_SIZE } from "../../src/console/page/shape.ts";
import type { HttpServer } from "../../src/http/server.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import { createStore, type Store } from "../../src/kube/watch/store.ts";
import { applicationOf, environmentOf, projectOf } from "../support/platform/status-page-objects.ts";
import { startChromium, type Tab } from "./chromium.ts";

type AccessibilityNode = Readonly<{ role?: { value: string }; name?: { value: string }; ignored: boolean }>;

/** Opens the largest number of streams, like that many open pages. @returns a function that closes them */
async function takePlaces(url: string): Promise<() => Promise<void>> {
  const followers: Response[] = [];
  for (;;) {
    const response = await fetch(`${url}/api/events`);
    if (response.status === 503) break;
    expect(response.status).toBe(200);
    followers.push(response);
  }
  expect(followers).not.toEqual([]);
  return async () => {
    for (const { body } of followers) await body?.cancel();
  };
}

const waiting = { timeout: 60_000, interval: 100 };
const HOSTILE = `<img src="http://attacker.example/x" onerror="document.title='stolen'"><script>document.title='stolen'</script>`;
const failed = {
  conditions: {
    Ready: ["False", "BuildFailed", ""],
    Stalled: ["True", "BuildFailed", "The platform reports BUILD_ERROR for commit bad0c0d."],
  },
  status: {
    ...{ state: "BUILD_ERROR", commit: "900d1de", externalId: "a1" },
    lastDeployment: { gitCommitId: "bad0c0d", state: "BUILD_ERROR", startedAt: "2026-11-21T09:47:00Z" },
    history: [{ commit: "900d1de", state: "DEPLOYED", at: "2026-11-20T09:47:00Z", seconds: 95 }],
  },
} as const;

const chromium = await startChromium();
let store: Store;
let server: HttpServer;
let about: About;
/** Problems in the browser: exceptions, errors on the console, violations of the policy, failed requests. */
let problems: string[];
let requested: string[];
let tabs: Tab[];

beforeEach(async () => {
  problems = [];
  requested = [];
  tabs = [];
  store = createStore((error) => problems.push(String(error)));
  about = { version: "1.2.3", instance: "pod-1", isLeading: true, waitingFor: null, silentMs: 0 };
  server = await start(0);
});
afterEach(async () => {
  await Promise.all(tabs.map((tab) => tab.close()));
  await server.stop();
});

async function start(port: number): Promise<HttpServer> {
  const seen = { ...{ type: "Normal", reason: "Created", note: HOSTILE, count: 2 }, lastObservedTime: HOSTILE };
  const consoleLinks = new Map([["PlatformApplication", "https://console.example.com/applications/{id}"]]);
  const options = { clock: systemClock(), store, about: () => about, events: () => [seen], consoleLinks };
  return startStatusPage({ host: "127.0.0.1", port }, options);
}

/** Opens the page in a new tab. */
async function open(hash = "", width = 1200): Promise<Tab> {
  const tab = await chromium.tab(width, 800);
  tabs.push(tab);
  // A tab of the test before may still report that its server has stopped.
  const ofThisTest = problems;
  for (const event of ["Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"]) {
    tab.on(event, (params) => ofThisTest.push(JSON.stringify(params)));
  }
  tab.on("Network.requestWillBeSent", ({ request }) => requested.push((request as { url: string }).url));
  await tab.open(`${server.url}/${hash}`);
  return tab;
}

/** @returns the visible objects of the tree, indented by their level */
async function lines(tab: Tab): Promise<unknown> {
  return tab.evaluate(`[...document.querySelectorAll(".item summary")].filter((line) => line.checkVisibility()).map((line) => {
    const text = (name) => line.querySelector("." + name).textContent.trim();
    let depth = -2;
    for (let at = line; at.id !== "tree"; at = at.parentElement.closest("ul")) depth += 1;
    return "  ".repeat(depth) + [text("mark-word"), text("kind"), text("name"), text("reason")].join(" ");
  })`);
}

const sees = (tab: Tab, expected: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await lines(tab)).toEqual(expected), waiting);

const textOf = (tab: Tab, selector: string): Promise<unknown> =>
  tab.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText`);

/** Waits until elements have these texts, by their selectors. */
async function shows(tab: Tab, texts: Readonly<Record<string, unknown>>): Promise<void> {
  await vi.waitFor(async () => {
    for (const [selector, text] of Object.entries(texts)) expect(await textOf(tab, selector), selector).toEqual(text);
  }, waiting);
}

const click = (tab: Tab, selector: string): Promise<unknown> =>
  tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);

function fill(): void {
  store.upsert(projectOf("web"));
  store.upsert(environmentOf("production", "web"));
  store.upsert(applicationOf("api", "production", failed));
  store.upsert(applicationOf("site", "production"));
}

const TREE = [
  "Ready project web Available",
  "  Ready environment production Available",
  "    Stalled application api BuildFailed",
  "    Ready application site Available",
];

describe("the status page in Chromium", () => {
  it("shows the tree and updates it live, without problems and without requests to other hosts", async () => {
    fill();
    const tab = await open();
    await sees(tab, TREE);
    await shows(tab, { "#connection": "Live" });
    await tab.evaluate(`globalThis.sameDocument = true; document.querySelectorAll(".item summary")[2].focus()`);

    store.upsert(applicationOf("api", "production", { status: { state: "DEPLOYED", commit: "900d1de" } }));
    store.upsert(applicationOf("shop", "production"));
    await sees(tab, [
      ...TREE.slice(0, 2),
      "    Ready application api Available",
      "    Ready application shop Available",
      TREE[3] ?? "",
    ]);
    // The page is neither loaded nor drawn again: the focus stays.
    expect(await tab.evaluate(`[sameDocument, document.activeElement.querySelector(".name").textContent]`)).toEqual([
      true,
      "api",
    ]);
    expect(await textOf(tab, "#operator")).toBe("1.2.3 · pod-1 · leading");
    expect(new Set(requested.map((url) => new URL(url).origin))).toEqual(new Set([server.url]));
    expect(problems).toEqual([]);
  });

  it("filters by status and text, and keeps the filter in its address", async () => {
    fill();
    const tab = await open();
    await sees(tab, TREE);
    await click(tab, "[value=not-ready]");
    await sees(tab, TREE.slice(0, 3));
    expect(await textOf(tab, "#summary")).toBe("1 of 4 objects");
    expect(await tab.evaluate("location.hash")).toBe("#show=not-ready");
    await click(tab, "[value=all]");
    // Like a user: the shortcut, then the text.
    await tab.send("Input.dispatchKeyEvent", { type: "keyDown", key: "/", text: "/" });
    await tab.send("Input.insertText", { text: "site" });
    await sees(tab, [TREE[0], TREE[1], TREE[3]].map(String));
    expect(await tab.evaluate("location.hash")).toBe("#text=site");
    await tab.send("Input.insertText", { text: " and nothing" });
    await shows(tab, { "#empty h2": "Nothing fits the filter" });
    expect(problems).toEqual([]);
  });

  it("folds namespaces in which everything is Ready, and limits the tree to a namespace and a kind", async () => {
    fill();
    const { metadata, ...rest } = projectOf("web");
    store.upsert({ ...rest, metadata: { ...metadata, namespace: "calm" } });
    const tab = await open();
    await sees(tab, TREE);
    const groups = `[...document.querySelectorAll(".group > details > summary")].map((line) => line.textContent.trim())`;
    expect(await tab.evaluate(groups)).toEqual(["shop✘ 1 stalled ✔ 3 ready", "calm✔ 1 ready"]);
    await click(tab, ".group:last-child > details > summary");
    await sees(tab, [...TREE, "Ready project web Available"]);
    const choose = (id: string, value: string): Promise<unknown> =>
      tab.evaluate(`{ const select = document.getElementById("${id}");
        select.value = "${value}"; select.dispatchEvent(new Event("change", { bubbles: true })); }`);
    await choose("namespace", "calm");
    await sees(tab, ["Ready project web Available"]);
    await shows(tab, { "#shows": "Show\nAll 1\nNot ready 0\nReady 1" });
    await choose("namespace", "shop");
    await choose("kind", "PlatformProject");
    await sees(tab, ["Ready project web Available"]);
    expect(await tab.evaluate("location.hash")).toBe("#namespace=shop&kind=PlatformProject");
    expect(problems).toEqual([]);
  });

  it("opens the object in its address, with commands that can be copied, deployments, events and conditions", async () => {
    fill();
    const tab = await open("#at=PlatformApplication/shop/api");
    await shows(tab, { ".item > details[open] .message": "The platform reports BUILD_ERROR for commit bad0c0d." });
    await shows(tab, { ".parts a": "Open in the platform's console" });
    expect(
      await tab.evaluate(
        `[...document.querySelectorAll(".item > details[open] code")].map((code) => code.textContent)`,
      ),
    ).toEqual([
      "still runs 900d1de",
      "kubectl platform rollback papp/api -n shop",
      "kubectl platform reconcile papp/api -n shop",
      "kubectl platform logs papp/api -n shop",
      "kubectl platform status papp/api -n shop",
      "kubectl describe papp api -n shop",
      "bad0c0d",
      "900d1de",
    ]);
    expect(
      await tab.evaluate(`[...document.querySelectorAll(".parts a, .parts h2, .parts li")].map((one) =>
        one.href ?? [...one.childNodes].slice(0, 3).map((cell) => cell.textContent).join(" ").trim())`),
    ).toEqual([
      "https://console.example.com/applications/a1",
      ...["Deployments", "bad0c0d BUILD_ERROR", "900d1de DEPLOYED took 95 s"],
      ...["Events", `Created ${HOSTILE} 2×`],
      "Conditions",
      "Ready=False BuildFailed:",
      "Stalled=True BuildFailed: The platform reports BUILD_ERROR for commit bad0c0d.",
    ]);
    const label = await tab.evaluate(`new Promise((resolve) => {
      const button = document.querySelector(".item > details[open] .copy");
      new MutationObserver(() => resolve(button.textContent)).observe(button, { childList: true });
      button.click();
    })`);
    expect(label).toBe("Copied");
    expect(problems).toEqual([]);
  });

  it("[S3] shows hostile texts as texts", async () => {
    store.upsert(
      applicationOf("api", "gone", {
        conditions: { Ready: ["False", HOSTILE, HOSTILE], Stalled: ["True", HOSTILE, HOSTILE] },
        status: { state: HOSTILE, commit: HOSTILE, externalId: HOSTILE },
        since: HOSTILE,
      }),
    );
    const tab = await open("#at=PlatformApplication/shop/api");
    await shows(tab, { ".item > details[open] .message": HOSTILE, ".reason": HOSTILE });
    expect(await tab.evaluate(`document.querySelectorAll("img, #tree script").length`)).toBe(0);
    expect(await tab.evaluate("document.title")).toBe("Platform Operator");
    expect(requested.filter((url) => url.includes("attacker"))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[S3] blocks injected markup and images of other hosts by its policy", async () => {
    const tab = await open();
    const violated = await tab.evaluate(`new Promise((resolve) => {
      const found = [];
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        found.push(effectiveDirective);
        if (found.length === 2) resolve(found.toSorted());
      });
      try { document.body.innerHTML = "<b>x</b>"; } catch {}
      const image = document.createElement("img");
      image.src = "http://attacker.example/x";
      document.body.append(image);
    })`);
    expect(violated).toEqual(["img-src", "require-trusted-types-for"]);
  });

  it("reports that the operator does not answer, and reconnects when it does", async () => {
    fill();
    const tab = await open();
    await sees(tab, TREE);
    const { port } = new URL(server.url);
    await server.stop();
    const lost = expect.stringMatching(/^The operator does not answer\. What you see is \d+\w old\.$/);
    await shows(tab, { "#connection": "Connection lost, retrying…", "#notice": lost });
    expect(await lines(tab)).toEqual(TREE);
    store.upsert(projectOf("new"));
    server = await start(Number(port));
    await sees(tab, [...TREE, "Ready project new Available"]);
    await shows(tab, { "#connection": "Live", "#notice": "" });
  });

  it("polls while the stream has no free place, and follows the stream again as soon as it has", async () => {
    fill();
    const leave = await takePlaces(server.url);
    const tab = await open();
    await shows(tab, { "#connection": "Every few seconds" });
    await sees(tab, TREE);
    store.upsert(projectOf("new"));
    await sees(tab, [...TREE, "Ready project new Available"]);
    expect(await textOf(tab, "#connection")).toBe("Every few seconds");
    expect(await textOf(tab, "#notice")).toBe("");
    await leave();
    await shows(tab, { "#connection": "Live" });
    // The browser reports each refusal; there are no other problems.
    expect(problems.filter((problem) => !/status of 503/.test(problem))).toEqual([]);
  });

  it("shows one page of many, and keeps its number in the address", async () => {
    store.upsert(projectOf("web"));
    store.upsert(environmentOf("production", "web"));
    const names = Array.from({ length: PAGE_SIZE + 50 }, (_, index) => `app-${String(index).padStart(3, "0")}`);
    for (const name of names) store.upsert(applicationOf(name, "production"));
    const parents = TREE.slice(0, 2);
    const lineOf = (name: string): string => `    Ready application ${name} Available`;
    const first = [...parents, ...names.slice(0, PAGE_SIZE - 2).map(lineOf)];
    const second = [...parents, ...names.slice(PAGE_SIZE - 2).map(lineOf)];
    const tab = await open();
    const at = (): Promise<unknown> =>
      tab.evaluate(`[location.hash, document.querySelector("#page").textContent,
        ...["previous", "next"].filter((id) => !document.getElementById(id).disabled)]`);

    await sees(tab, first);
    expect(await at()).toEqual(["", "Page 1 of 2", "next"]);
    await click(tab, "#next");
    await sees(tab, second);
    expect(await at()).toEqual(["#page=2", "Page 2 of 2", "previous"]);
    await click(tab, "#previous");
    await sees(tab, first);
    expect(await tab.evaluate("location.hash")).toBe("");
    expect(problems).toEqual([]);
  });

  it("says what to do when there are no resources, and what the operator waits for", async () => {
    about = { ...about, isLeading: false, waitingFor: "waiting for the first list of PlatformProject" };
    const tab = await open();
    await shows(tab, {
      "#notice": expect.stringContaining("waiting for the first list of PlatformProject"),
      "#operator": expect.stringContaining("standing by, another replica leads"),
    });
    about = { ...about, waitingFor: null, silentMs: 600_000 };
    await tab.open(`${server.url}/?again`);
    await shows(tab, {
      "#empty h2": "No custom resources yet",
      "#notice": expect.stringContaining("has not heard from the API server for 10m"),
    });
    expect(problems).toEqual([]);
  });

  it.each([360, 1440])(
    "needs no horizontal scrolling at %i pixels, and has a name and a role for each control",
    async (width) => {
      fill();
      store.upsert(applicationOf(`a-${"very-long-name-".repeat(12)}x`, "production", failed));
      const tab = await open("#at=PlatformApplication/shop/api", width);
      await shows(tab, { ".item > details[open] .message": expect.any(String) });
      expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const { nodes } = await tab.send("Accessibility.getFullAXTree");
      const controls = (nodes as readonly AccessibilityNode[]).filter(
        ({ ignored, role }) =>
          !ignored && /^(button|radio|searchbox|combobox|DisclosureTriangle)$/.test(role?.value ?? ""),
      );
      expect(controls.length).toBeGreaterThan(5);
      expect(controls.filter(({ name }) => (name?.value ?? "").trim() === "")).toEqual([]);
    },
  );
});
