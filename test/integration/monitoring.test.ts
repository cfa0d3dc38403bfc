/** What an operator at work serves under /metrics, and the alerts, in the judgement of Prometheus's own tool. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { describedMetrics } from "../../scripts/metrics.ts";
import { RULES_FILE } from "../monitoring/rules.ts";
import { createEnv } from "../support/env/env.ts";
import { findDebianProgram } from "../tools/debian.ts";

/** @returns what promtool writes. @throws Error with its words when it finds something */
async function promtool(args: readonly string[], input = ""): Promise<string> {
  const running = promisify(execFile)(await findDebianProgram("promtool"), args);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}

describe("the alerts", { timeout: 300_000 }, () => {
  it("are rules of Prometheus", async () => {
    expect(await promtool(["check", "rules", RULES_FILE])).toMatch(/SUCCESS: \d+ rules found/);
  });

  it("fire when they should and not before", async () => {
    const tests = join(import.meta.dirname, "../monitoring/alerts.test.yaml");
    expect(await promtool(["test", "rules", tests])).toMatch(/SUCCESS/);
  });
});

describe("/metrics of an operator at work", { timeout: 300_000 }, () => {
  const env = createEnv({ surface: "full", args: ["--metrics-per-object"] });

  it("is what Prometheus expects, and has no metric that the reference does not list", async () => {
    await env.apply(...env.quickstart());
    await env.waitFor("PlatformApplication", "api", { status: "True" }, 30_000);
    const text = await (await fetch(`${env.operator.metricsUrl}/metrics`)).text();
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

  it("forgets an object that is gone", async () => {
    await env.remove("PlatformApplication", "api");
    await env.waitGone("PlatformApplication", "api");
    await expect
      .poll(async () => (await fetch(`${env.operator.metricsUrl}/metrics`)).text())
      .not.toContain(`exported_namespace="${env.namespace}",name="api"`);
  });
});
