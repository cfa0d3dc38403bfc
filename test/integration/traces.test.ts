/** Traces over OTLP: from the reconcile to the platform's calls, and what becomes of them without a collector. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { lastDeployment, stagedApplications } from "../support/env/applications.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { changeLog } from "../support/platform/change-log.ts";
import { type CollectedSpan, startCollector } from "../support/programs/collector.ts";

const KIND = "PlatformApplication";

const collector = await startCollector();

afterAll(() => collector.stop());

describe("with a collector", () => {
  const env = createEnv({ surface: "full", args: [`--otlp-endpoint=${collector.url}`] });
  const apps = stagedApplications(env);

  beforeAll(async () => {
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    await env.settled();
  });

  it("a deploy is one trace: the reconcile, and in it the call with its commit and request id", async () => {
    await env.patch(KIND, "api", deploying(NEXT_COMMIT));
    const api = await env.waitFor(KIND, "api", (object) => lastDeployment(object, "gitCommitId") === NEXT_COMMIT);
    const call = await vi.waitFor(
      () => {
        const found = collector
          .spans()
          .filter(({ attributes }) => attributes["platform_operator.commit"] === NEXT_COMMIT);
        expect(found).toHaveLength(1);
        return found[0] as CollectedSpan;
      },
      { timeout: 30_000, interval: 200 },
    );
    const deploy = changeLog(env.operator.logs()).findLast(({ op }) => op === "deployApplication");
    expect(call).toMatchObject({
      name: "deployApplication",
      kind: 3,
      attributes: {
        "http.request.method": "POST",
        "http.response.status_code": deploy?.status,
        "url.template": "/application/{applicationId}/deploy",
        "platform_operator.operation": "deployApplication",
        "platform_operator.connection": `PlatformConnection/${env.namespace}/default`,
        "platform_operator.request_id": deploy?.requestId,
        "platform_operator.result": "ok",
      },
    });
    expect(deploy?.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const trace = collector.spans().filter(({ traceId }) => traceId === call.traceId);
    const pass = trace.find(({ spanId }) => spanId === call.parentSpanId);
    expect(pass).toMatchObject({
      name: `reconcile ${KIND}`,
      attributes: {
        "platform_operator.kind": KIND,
        "platform_operator.namespace": env.namespace,
        "platform_operator.name": "api",
        "platform_operator.uid": api.metadata.uid,
        "platform_operator.generation": 2,
        "platform_operator.result": "requeue_after",
        "platform_operator.pass": deploy?.pass,
      },
    });
    expect(pass?.parentSpanId ?? "").toBe("");
    // Every other call of the pass is in the same trace, and the log leads to it.
    expect(trace.filter(({ parentSpanId }) => (parentSpanId ?? "") === "")).toHaveLength(1);
    expect(new Set(trace.map(({ parentSpanId }) => parentSpanId ?? ""))).toEqual(new Set(["", pass?.spanId]));
    const lines = env.operator.logs().filter((line) => line["pass"] === deploy?.pass);
    expect(new Set(lines.map((line) => line["traceId"]))).toEqual(new Set([call.traceId]));
  });

  it("what waits is sent before the operator ends", async () => {
    const before = collector.spans().length;
    const reported = changeLog(env.operator.logs()).length;
    await env.patch(KIND, "api", { spec: { cpu: 750 } });
    // A deploy follows the update so soon that it may be the last line already.
    const pass = await vi.waitFor(
      () => {
        const [update] = changeLog(env.operator.logs()).slice(reported);
        expect(update?.op).toBe("updateApplication");
        return update?.pass;
      },
      { timeout: 20_000 },
    );
    await env.restart();
    const last = collector.spans().slice(before);
    expect(last.map(({ attributes }) => attributes["platform_operator.pass"])).toContain(pass);
  });
});

describe("with a collector that takes connections and never answers", () => {
  const env = createEnv({ surface: "full", args: [`--otlp-endpoint=${collector.url}/silent`] });
  const apps = stagedApplications(env);

  it("everything continues, the spans are counted as dropped, and the operator ends in time", async () => {
    collector.script(() => {});
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    await env.patch(KIND, "api", deploying(NEXT_COMMIT));
    await apps.deployed("api", NEXT_COMMIT);
    await vi.waitFor(
      async () => {
        const metrics = await (await fetch(`${env.operator.metricsUrl}/metrics`)).text();
        expect(metrics).toMatch(/^platform_operator_spans_dropped_total [1-9]\d*$/m);
      },
      { timeout: 40_000, interval: 500 },
    );
    const warnings = env.operator.logs().filter(({ message }) => message.startsWith("traces do not reach"));
    expect(warnings).toHaveLength(1);
    // Expects a clean end.
    await env.restart();
  });
});

describe("with nobody at the endpoint", () => {
  const env = createEnv({ surface: "full", args: ["--otlp-endpoint=http://127.0.0.1:9"] });
  const apps = stagedApplications(env);

  it("everything continues", async () => {
    await apps.fixture();
    await apps.deploy("api", COMMIT);
    expect(env.operator.logs().filter(({ level }) => level === "error")).toEqual([]);
  });
});
