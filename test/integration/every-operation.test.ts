/**
 * One resource of every kind, on both surfaces: which operations of the specification they call, and what they report of
 * it.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { USED_BY } from "../../scripts/coverage.ts";
import { operations } from "../../simulator/base/operations.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { idOf } from "../support/env/settling.ts";
import {
  application,
  blueprint,
  database,
  defaults,
  environment,
  operation,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";
import { callsIn, changeLog, isChange, templateOf } from "../support/platform/change-log.ts";
import { surfaceOf } from "./fixture.ts";

/** Only scheme and host of it are shown. */
const TARGET = "https://user:hush@hooks.example.com/first?key=hush";
const EVENTS = ["DEPLOYMENT_STARTED", "SOME_EVENT_OF_TOMORROW"];

/** What only commands call (docs/coverage.md), and the token, which needs a right of its own: clusters.test.ts. */
const NOT_HERE: ReadonlySet<string> = new Set([
  "createApplicationVariable",
  "createApplicationSecret",
  "listApplicationLog",
  "getClusterMetrics",
  "getClusterToken",
]);

const ChangeEvent = z.object({
  reason: z.string(),
  action: z.string(),
  regarding: z.object({ kind: z.string(), name: z.string() }),
});

describe.each(effort.few(["full", "documented"] as const))("one resource of every kind, %s surface", (surface) => {
  const env = createEnv({ surface, args: ["--log-level=debug"] });
  const isFull = surface === "full";
  let record: Recording;
  const expectStatus = async (kind: string, name: string, members: JsonObject): Promise<KubeObject> => {
    const seen = await env.get(kind, name);
    expect(seen.status).toMatchObject(members);
    return seen;
  };

  beforeAll(async () => {
    record = await env.record();
    const [bound = "", stopped = ""] = env.platform.clusterIds;
    const [credentials] = env.platform.world().credentials.keys();
    const spec = { surface: surfaceOf(env), allowUnverifiedIds: true };
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "token" } } };
    // Separately, so that nothing below waits for its parent long enough to write a status about it.
    await env.ready(
      ...defaults(env, spec),
      secret("values", { token: "not-a-token" }),
      project("shop"),
      environment(env, "staging", "shop"),
    );
    await env.ready(
      application("web", "staging"),
      database("orders", "staging", { mode: "MANAGED" }),
      blueprint("cache", "staging", { variables: [token] }),
      resource("PlatformVariableSet", "common", {
        targets: [{ applicationRef: { name: "web" } }],
        variables: [{ name: "MODE", value: "fast" }, token],
      }),
      resource("PlatformCluster", "edge", {
        externalId: stopped,
        runState: "Stopped",
        credentialsId: credentials ?? "",
        lifecycle: { applyPolicy: "Automatic" },
      }),
      resource("PlatformBinding", "platform", {
        clusterRef: { externalId: bound },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
      }),
      resource("PlatformWebhook", "chat", { targetUrl: TARGET, events: EVENTS }),
      resource("PlatformCatalog", "all", {
        include: ["Templates", "CloudProviders", "DatabaseTypes", "GitRepositories"],
      }),
      operation("invoices", { type: "SendInvoices" }),
      operation("upgrade", { type: "UpgradeCluster", clusterRef: { externalId: bound } }),
      operation("defaults", {
        type: "RenderHelmDefaultValues",
        environmentRef: { name: "staging" },
        source: { helm_repository: { chart_name: "redis" } },
        outputConfigMap: "redis-values",
      }),
    );
    for (const name of ["invoices", "upgrade", "defaults"]) {
      await env.waitFor("PlatformOperation", name, { type: "Complete", status: "True" });
    }
    await env.waitFor("PlatformDatabase", "orders", { status: "True", reason: "Available" });
    await env.patch("PlatformDatabase", "orders", { spec: { runState: "Stopped" } });
    await env.waitFor("PlatformDatabase", "orders", { status: "True", reason: "Stopped" });
    await env.settled();
  }, 90_000);

  it("succeeds with every operation of the specification that a kind is for, and none is refused for its form", () => {
    const calls = callsIn(env.platform.journal());
    const done = new Set(calls.filter(({ status }) => status !== null && status < 300).map((call) => call.operation));
    const documented = operations.filter((one) => one.surface === "documented").map(({ id }) => id);
    expect(documented).toHaveLength(32);
    // The full surface shows the states of all services of an environment at once.
    const unused = isFull ? ["getApplicationStatus"] : [];
    expect(documented.filter((id) => !done.has(id)).toSorted()).toEqual([...NOT_HERE, ...unused].toSorted());
    expect(calls.filter((call) => call.status === 400 || call.status === 422).map((call) => call.operation)).toEqual(
      [],
    );
  });

  it("makes a call for no kind that scripts/coverage.ts does not declare for it", () => {
    const lines = env.operator.logs();
    const kinds = new Map(lines.flatMap(({ pass, kind, message }) => (message === "reconciled" ? [[pass, kind]] : [])));
    const calls = lines.filter(({ pass, message }) => message === "asked the platform" && kinds.has(pass));
    const used = new Set(calls.map(({ pass, op }) => `${String(kinds.get(pass))} ${String(op)}`));
    const declared = new Set([...USED_BY].flatMap(([kind, names]) => [...names].map((name) => `${kind} ${name}`)));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((use) => !declared.has(use))).toEqual([]);
  });

  it("has each call that asks for a change once in the change log, and as an event where its outcome has none", async () => {
    const asked = callsIn(env.platform.journal())
      .filter(isChange)
      .map(({ method, path }) => `${method} ${templateOf(path)}`);
    const lines = changeLog(env.operator.logs()).filter(({ result }) => result !== "OverBudget");
    expect(lines.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`).toSorted()).toEqual(
      asked.toSorted(),
    );
    expect(new Set(lines.map(({ op }) => op)).size).toBeGreaterThan(12);
    for (const line of lines) expect(line).toMatchObject({ installation: lines[0]?.installation, result: "ok" });

    const events = z.array(ChangeEvent).parse(await env.list("Event"));
    const reported = events.filter(({ reason }) => reason.startsWith("PlatformChange"));
    const eventOf = (kind: string, name: string, action: string) => `${kind}/${name} ${action}`;
    // What a new generation caused has the event of its outcome alone.
    const eventful = lines.filter(({ cause, op }) => cause !== "SpecChanged" || op.startsWith("create"));
    expect(new Set(reported.map(({ regarding, action }) => eventOf(regarding.kind, regarding.name, action)))).toEqual(
      new Set(eventful.map(({ kind, name, op }) => eventOf(kind, name, op))),
    );
  });

  it("shows the ingress of what runs, and the request of what was deployed", async () => {
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    const web = await expectStatus("PlatformApplication", "web", {
      ingress: { routerId: id, status: "DEPLOYED" },
      lastDeployment: { requestId: id, state: "DEPLOYED" },
    });
    expect(condition(web, "IngressReady")).toMatchObject({ status: "True", reason: "DEPLOYED" });
    await expectStatus("PlatformDatabase", "orders", { lastDeployment: { requestId: id } });
    // The service that a blueprint became is shown on the full surface alone.
    if (isFull) await expectStatus("PlatformBlueprint", "cache", { ingress: { routerId: id } });
  });

  it("registers a webhook once, and shows only scheme and host of its target", async () => {
    expect(record.calls("createWebhook").map(({ body }) => body)).toEqual([
      { target_url: TARGET, events: EVENTS, enabled: true, ...(isFull && { kind: "STANDARD" }) },
    ]);
    const chat = await env.get("PlatformWebhook", "chat");
    const there = [...env.platform.world().webhooks.values()].find(({ targetUrl }) => targetUrl === TARGET);
    expect(idOf(chat)).toBe(there?.id);
    expect(JSON.stringify([chat.status, env.operator.logs()])).not.toContain("hush");
    const table = await env.kubectl(["get", "pwh", "chat"]);
    expect(table).toMatch(/READY +REASON +TARGET +EVENTS +DRIFTED +PAUSED +AGE/);
    expect(table).toMatch(/True +Available +https:\/\/hooks\.example\.com\/… +\["DEPLOYMENT_STARTED"/);
  });
});
