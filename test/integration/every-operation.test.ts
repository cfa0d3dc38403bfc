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
import { createEnv } from "../support/env/env.ts";
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

const HUSH = "a-value-that-nobody-shows";

/** What only commands call (docs/coverage.md), and the token, which needs a right of its own: cluster-token.test.ts. */
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

describe.each(["documented", "full"] as const)("one resource of every kind, %s surface", (surface) => {
  const env = createEnv({ surface, args: ["--log-level=debug"] });
  const expectStatus = async (kind: string, name: string, members: JsonObject): Promise<KubeObject> => {
    const seen = await env.get(kind, name);
    expect(seen.status).toMatchObject(members);
    return seen;
  };

  beforeAll(async () => {
    const [bound = "", stopped = ""] = env.platform.clusterIds;
    const [credentials] = env.platform.world().credentials.keys();
    const spec = { surface: surface === "full" ? "Full" : "Documented", allowUnverifiedIds: true };
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "token" } } };
    await env.ready(
      ...defaults(env, spec),
      secret("values", { token: HUSH }),
      project("shop"),
      environment(env, "staging", "shop"),
      application("web", "staging"),
      database("orders", "staging", { mode: "MANAGED" }),
      blueprint("cache", "staging"),
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
      resource("PlatformWebhook", "chat", { targetUrl: "https://hooks.example.com/", events: ["DEPLOYMENT_FAILED"] }),
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

  it("calls every operation of the specification that a kind is for, and none is refused for its form", () => {
    const calls = callsIn(env.platform.journal());
    const called = new Set(calls.map((call) => call.operation));
    const documented = operations.filter((one) => one.surface === "documented").map(({ id }) => id);
    expect(documented).toHaveLength(32);
    // The full surface shows the states of all services of an environment at once.
    const unused = surface === "full" ? ["getApplicationStatus"] : [];
    expect(documented.filter((id) => !called.has(id) && !NOT_HERE.has(id))).toEqual(unused);
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

    const events = z
      .object({ items: z.array(ChangeEvent) })
      .parse(JSON.parse(await env.kubectl(["get", "events.events.k8s.io", "-o", "json"])));
    const reported = events.items.filter(({ reason }) => reason.startsWith("PlatformChange"));
    const eventOf = (kind: string, name: string, action: string) => `${kind}/${name} ${action}`;
    // What a new generation caused has the event of its outcome alone.
    const eventful = lines.filter(({ cause, op }) => cause !== "SpecChanged" || op.startsWith("create"));
    expect(new Set(reported.map(({ regarding, action }) => eventOf(regarding.kind, regarding.name, action)))).toEqual(
      new Set(eventful.map(({ kind, name, op }) => eventOf(kind, name, op))),
    );
  });

  it("counts the services of environments: in the project, and in each environment", async () => {
    const staging = await expectStatus("PlatformEnvironment", "staging", { serviceCount: 3 });
    await expectStatus("PlatformProject", "shop", {
      environmentCount: 1,
      environments: [{ id: idOf(staging), serviceCount: 3 }],
    });
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
    if (surface === "full") await expectStatus("PlatformBlueprint", "cache", { ingress: { routerId: id } });
  });

  it("lists secrets by key and id, without a value anywhere", async () => {
    const secretKeys = [{ key: "TOKEN", id: expect.any(String) as string }];
    await expectStatus("PlatformVariableSet", "common", { targets: [{ total: 2, imported: 2, secretKeys }] });
    const said = await env.kubectl(["get", "platform,events", "-o", "json"]);
    expect(said).not.toContain(HUSH);
    expect(JSON.stringify(env.operator.logs())).not.toContain(HUSH);
  });

  it("shows cloud credentials without their keys, and a rendered chart in its ConfigMap", async () => {
    const [theirs] = env.platform.world().credentials.values();
    const { id, name, objectType, accessKeyId } = theirs ?? {};
    const edge = await expectStatus("PlatformCluster", "edge", {
      credentials: { id: id ?? "", name: name ?? "", objectType: objectType ?? "" },
    });
    expect(JSON.stringify(edge)).not.toContain(accessKeyId);
    expect(await env.kubectl(["get", "configmap", "redis-values", "-o", "jsonpath={.data}"])).toContain("values.yaml");
  });
});
