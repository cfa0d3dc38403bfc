/**
 * One resource of every kind, on both surfaces: which operations of the specification they call, and what they report of
 * it. One id leads from a reconcile to its calls and to what it changed.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { operations } from "../../simulator/base/operations.ts";
import { conditionOf } from "../../src/engine/contract/status.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import {
  application,
  blueprint,
  COMMIT,
  database,
  defaults,
  environment,
  project,
  resource,
  secret,
} from "../support/kube/manifests.ts";
import { callsIn, isChange } from "../support/platform/calls.ts";
import { coverage } from "../support/platform/pages.ts";
import { surfaceOf } from "./fixture.ts";
import { lastDeployment } from "./staged-applications.ts";

const APPLICATION = "PlatformApplication";
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Only scheme and host of it are shown. */
const TARGET = "https://user:hush@hooks.example.com/first?key=hush";
const EVENTS = ["DEPLOYMENT_STARTED", "DEPLOYMENT_CANCELLED"];

/** What only commands call (docs/coverage.md), and the token, which needs a right of its own: clusters.test.ts. */
const NOT_HERE: ReadonlySet<string> = new Set([
  "createApplicationVariable",
  "createApplicationSecret",
  "listApplicationLog",
  "getClusterMetrics",
  "getClusterToken",
  "createHelmDefaultValues",
  "downloadInvoices",
]);

const ChangeEvent = z.object({
  reason: z.string(),
  action: z.string(),
  regarding: z.object({ kind: z.string(), name: z.string() }),
});

const text = z.string();
/** What the tests read of a line of the change log about a call; src/observability/telemetry.test.ts has them whole. */
const ChangeLine = z.object({
  ...{ logger: z.literal("changes"), reconcileID: text, installation: z.uuid(), uid: z.uuid() },
  ...{ kind: text, name: text, cause: text, op: text, method: text, path: text, result: text },
  ...{ commit: text.optional(), requestId: z.uuid().optional() },
});

/** Reports whether a resource is Ready, or Unknown because the platform does not show the end of what it accepted. */
function isAccepted(object: KubeObject): boolean {
  const ready = conditionOf(object, "Ready");
  if (ready === undefined || ready.observedGeneration !== object.metadata.generation) return false;
  return ready.status === "True" || ready.reason === "NotObservable";
}

describe.each(effort.few(["full", "documented"] as const))("one resource of every kind, %s surface", (surface) => {
  const env = createEnv({ surface, args: ["--log-level=debug,kube=trace"] });

  /** Applies resources, and waits until the operator has nothing left to do for them. */
  async function accepted(...manifests: readonly Manifest[]): Promise<void> {
    await env.apply(...manifests);
    for (const { kind, metadata } of manifests) await env.waitFor(kind, metadata.name, isAccepted);
  }

  beforeAll(async () => {
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
    await accepted(
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
      resource("PlatformCluster", "main", {
        externalId: bound,
        kubernetesVersion: "1.33",
        lifecycle: { applyPolicy: "Automatic" },
      }),
    );
    await env.patch("PlatformCluster", "main", { spec: { kubernetesVersion: "1.34" } });
    await env.waitFor("PlatformCluster", "main", isAccepted);
    await env.waitFor("PlatformDatabase", "orders", { status: "True", reason: "Available" });
    await env.patch("PlatformDatabase", "orders", { spec: { runState: "Stopped" } });
    await env.waitFor("PlatformDatabase", "orders", { status: "True", reason: "Stopped" });
    await env.settled();
  }, 90_000);

  it("succeed with every operation of the specification that their kinds use, and send no invalid request", () => {
    const calls = callsIn(env.platform.journal());
    const done = new Set(calls.filter(({ status }) => status !== null && status < 300).map((call) => call.operation));
    const documented = operations.filter((one) => one.surface === "documented").map(({ id }) => id);
    expect(documented).toHaveLength(32);
    // The full surface shows the states of all services of an environment at once.
    const unused = surface === "full" ? ["getApplicationStatus"] : [];
    expect(documented.filter((id) => !done.has(id)).toSorted()).toEqual([...NOT_HERE, ...unused].toSorted());
    expect(calls.filter((call) => call.status === 400 || call.status === 422).map((call) => call.operation)).toEqual(
      [],
    );
  });

  it("call only the operations that docs/coverage.md lists for their kinds", () => {
    const lines = env.operator.logs();
    const kinds = new Map(
      lines.flatMap(({ reconcileID, kind, message }) => (message === "reconciled" ? [[reconcileID, kind]] : [])),
    );
    const calls = lines.filter(
      ({ reconcileID, message }) => message === "asked the platform" && kinds.has(reconcileID),
    );
    const used = new Set(calls.map(({ reconcileID, op }) => `${String(kinds.get(reconcileID))} ${String(op)}`));
    const declared = new Set(coverage().flatMap(({ name, kinds }) => kinds.map((kind) => `${kind} ${name}`)));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((use) => !declared.has(use))).toEqual([]);
  });

  it("write each call that changes the platform once to the change log, and as an event where none tells its outcome", async () => {
    const asked = callsIn(env.platform.journal())
      .filter(isChange)
      .map(({ method, path }) => `${method} ${path.replaceAll(ID, "{}").replace(/\?.*/, "")}`);
    const lines = changeLog().filter(({ result }) => result !== "OverBudget");
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

  it("show only scheme and host of a webhook's target", async () => {
    const chat = await env.get("PlatformWebhook", "chat");
    expect(JSON.stringify([chat.status, env.operator.logs()])).not.toContain("hush");
  });

  it.runIf(surface === "full")("show the ingress of the service that a blueprint became", async () => {
    expect((await env.get("PlatformBlueprint", "cache")).status).toHaveProperty("ingress.routerId");
  });

  it("write the same reconcileID in all log lines of a reconcile, from the call with its request id to the status", async () => {
    const web = await env.get(APPLICATION, "web");
    const [change, lines] = lastDeploy();
    expect(change).toMatchObject({
      uid: web.metadata.uid,
      requestId: lastDeployment(web, "requestId"),
      commit: COMMIT,
    });
    const reported = (message: string) => lines.filter((line) => line.message === message);
    expect(reported("asked the platform")).toContainEqual(
      expect.objectContaining({ logger: "platform", op: "deployApplication", requestId: change?.requestId }),
    );
    const path = `/apis/platform-operator.io/v1alpha1/namespaces/${env.namespace}/platformapplications/web/status`;
    expect(reported("asked the API server")).toContainEqual(
      expect.objectContaining({ logger: "kube", method: "PATCH", path, code: "200" }),
    );
    expect(reported("reconciled")).toEqual([expect.objectContaining({ kind: APPLICATION, name: "web" })]);
    // Events are written one after the other, whoever began with it.
    expect(lines.filter((line) => String(line["path"]).endsWith("/events"))).toEqual([]);
  });

  function changeLog(): readonly z.infer<typeof ChangeLine>[] {
    return env.operator.logs().flatMap((line) => ChangeLine.safeParse(line).data ?? []);
  }

  /** The last deployment of the application in the change log, and all lines of its reconcile. */
  function lastDeploy() {
    const change = changeLog().findLast(({ kind, op }) => kind === APPLICATION && op === "deployApplication");
    return [change, env.operator.logs().filter((line) => line["reconcileID"] === change?.reconcileID)] as const;
  }
});
