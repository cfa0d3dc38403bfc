/**
 * One id leads from a pass to its calls of the platform and of the API server, and to what it changed: in the log, and
 * in the traces over OTLP; and what becomes of traces without a collector.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { KubeObject } from "../../src/kube/api/types.ts";
import { createEnv } from "../support/env/env.ts";
import { COMMIT, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { type ChangeLine, changeLog } from "../support/platform/change-log.ts";
import { startCollector } from "../support/programs/collector.ts";
import { fixture } from "./fixture.ts";
import { lastDeployment, stagedApplications } from "./staged-applications.ts";

const KIND = "PlatformApplication";

const collector = await startCollector();

afterAll(() => collector.stop());

describe("a deploy", () => {
  const env = createEnv({
    surface: "full",
    args: [`--otlp-endpoint=${collector.url}`, "--log-level=info,engine=debug,platform=debug,kube=trace"],
  });
  const apps = stagedApplications(env);
  const changes = () => changeLog(env.operator.logs());
  const linesOf = (pass: string | undefined) => env.operator.logs().filter((line) => line["pass"] === pass);
  let api: KubeObject;
  let change: ChangeLine | undefined;

  beforeAll(async () => {
    await fixture(env);
    await apps.deploy("api", COMMIT);
    await env.settled();
    await env.patch(KIND, "api", deploying(NEXT_COMMIT));
    api = await apps.deployed("api", NEXT_COMMIT);
    await env.settled();
    change = changes().find(({ commit }) => commit === NEXT_COMMIT);
  });

  it("has one id in all lines of its pass, from the reconcile to the call with its request id and commit", () => {
    expect(changes().filter(({ commit }) => commit === NEXT_COMMIT)).toHaveLength(1);
    expect(change).toMatchObject({
      uid: api.metadata.uid,
      generation: api.metadata.generation,
      op: "deployApplication",
      requestId: lastDeployment(api, "requestId"),
      result: "ok",
    });
    const lines = linesOf(change?.pass);
    const reported = (message: string) => lines.filter((line) => line.message === message);
    expect(reported("asked the platform")).toContainEqual(
      expect.objectContaining({ logger: "platform", op: "deployApplication", requestId: change?.requestId }),
    );
    const path = `/apis/platform-operator.io/v1alpha1/namespaces/${env.namespace}/platformapplications/api/status`;
    expect(reported("asked the API server")).toContainEqual(
      expect.objectContaining({ logger: "kube", method: "PATCH", path, code: "200" }),
    );
    expect(reported("reconciled")).toEqual([expect.objectContaining({ logger: "engine", kind: KIND, name: "api" })]);
    // Events are written one after the other, whoever began with it.
    expect(lines.filter((line) => String(line["path"]).endsWith("/events"))).toEqual([]);
  });

  it("is one trace: the reconcile, and in it the call with its commit and request id", async () => {
    const call = await vi.waitUntil(
      () => collector.spans().find(({ attributes }) => attributes["platform_operator.commit"] === NEXT_COMMIT),
      { timeout: 30_000, interval: 200 },
    );
    expect(call).toMatchObject({
      name: "deployApplication",
      attributes: { "platform_operator.request_id": change?.requestId, "platform_operator.result": "ok" },
    });
    const trace = collector.spans().filter(({ traceId }) => traceId === call.traceId);
    // Every other call of the pass is in the same trace, and the log leads to it.
    const [pass, ...others] = trace.filter(({ parentSpanId }) => (parentSpanId ?? "") === "");
    expect(others).toEqual([]);
    expect(pass).toMatchObject({
      spanId: call.parentSpanId,
      name: `reconcile ${KIND}`,
      attributes: { "platform_operator.uid": api.metadata.uid, "platform_operator.pass": change?.pass },
    });
    expect(new Set(trace.map(({ parentSpanId }) => parentSpanId ?? ""))).toEqual(new Set(["", pass?.spanId]));
    expect(new Set(linesOf(change?.pass).map((line) => line["traceId"]))).toEqual(new Set([call.traceId]));
  });
});
