/** What an operator at work shows: /metrics and the alerts, in the judgement of Prometheus's tool, and the status page. */
import { join } from "node:path";

import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { describedMetrics } from "../../scripts/reference.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findDebianProgram } from "../tools/debian.ts";

const waiting = { timeout: 30_000, interval: 100 };

/** @returns what promtool writes */
async function promtool(args: readonly string[], input = ""): Promise<string> {
  const { stdout, stderr } = await runToEnd(await findDebianProgram("promtool"), args, { input });
  return stdout + stderr;
}

describe("the Prometheus alerts", { timeout: 300_000 }, () => {
  it("pass the test cases of alerts.test.yaml in promtool", async () => {
    const tests = join(import.meta.dirname, "../monitoring/alerts.test.yaml");
    expect(await promtool(["test", "rules", tests])).toMatch(/SUCCESS/);
  });
});

describe("a running operator", { timeout: 300_000 }, () => {
  const env = createEnv({
    surface: "full",
    args: ["--metrics-per-object", "--status-page-bind-address=127.0.0.1:0"],
  });
  let url: string;

  beforeAll(async () => {
    // The operator counts as started once it serves metrics and probes; this comes after them.
    await vi.waitFor(() => {
      const isPage = (line: { readonly [key: string]: unknown }) => line["server"] === "status-page";
      const reported = env.operator.logs().find((line) => line.message === "listening" && isPage(line));
      url = z.url().parse(reported?.["address"]);
    }, waiting);
    await env.ready(...env.quickstart());
  });

  it("[S3] serves a status page that shows no token and nothing of a spec, and that accepts no write", async () => {
    const api: unknown = expect.objectContaining({ name: "api", depth: 2, mark: "ready", state: "DEPLOYED" });
    const tree = { operator: { isLeading: true, waitingFor: null }, rows: expect.arrayContaining([api]) as unknown };
    const all = await vi.waitFor(async () => {
      const text = await (await fetch(`${url}/api/tree`)).text();
      expect(JSON.parse(text)).toMatchObject(tree);
      return text;
    }, waiting);
    const hidden = [...Object.values(env.platform.tokens), env.platform.url, env.platform.organizationId];
    expect(hidden.filter((text) => all.includes(text))).toEqual([]);
    expect((await fetch(`${url}/api/tree`, { method: "POST", body: "{}" })).status).toBe(405);
  });

  it("serves metrics that promtool accepts, and exactly those that the reference lists", async () => {
    const text = await metricsOf(env.operator);
    expect(await promtool(["check", "metrics"], text)).toBe("");

    const served = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const described = describedMetrics().map(({ name, type }) => `${name} ${type}`);
    expect({
      missing: described.filter((one) => !served.includes(one)),
      unknown: served.filter((one) => !described.includes(one)),
    }).toEqual({ missing: [], unknown: [] });
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d{7,}$/m);
    const reported = `platform_operator_resource_info{customresource_kind="PlatformApplication",exported_namespace="${env.namespace}",name="api",ready="True",reason="Deployed",suspended="false"} 1`;
    expect(text).toContain(reported);
    expect(text).toMatch(/^platform_operator_operation_duration_seconds_count\{kind="PlatformApplication",.*\} [12]$/m);
  });
});
