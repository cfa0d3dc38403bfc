/** What an operator at work shows: /metrics and the alerts, in the judgement of Prometheus's tool, and the status page. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { describedMetrics } from "../../scripts/metrics.ts";
import { RULES_FILE } from "../monitoring/rules.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { findDebianProgram } from "../tools/debian.ts";

const waiting = { timeout: 30_000, interval: 100 };
const Tree = z.object({
  operator: z.object({ isLeading: z.boolean(), waitingFor: z.string().nullable(), silentMs: z.number() }),
  rows: z.array(
    z.looseObject({ word: z.string(), name: z.string(), depth: z.number(), mark: z.string(), state: z.string() }),
  ),
});

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

describe("an operator at work", { timeout: 300_000 }, () => {
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

  it("shows on its status page what the cluster holds, below what it belongs to", async () => {
    await vi.waitFor(async () => {
      const { rows, operator } = Tree.parse(await (await fetch(`${url}/api/tree`)).json());
      expect(operator).toMatchObject({ isLeading: true, waitingFor: null });
      expect(operator.silentMs).toBeLessThan(120_000);
      const applications = rows.filter(({ word }) => word === "application");
      expect(applications.map(({ name, depth, mark, state }) => [name, depth, mark, state])).toEqual(
        expect.arrayContaining([
          ["api", 2, "ready", "DEPLOYED"],
          ["web", 2, "ready", "DEPLOYED"],
        ]),
      );
    }, waiting);
  });

  it("[S3] has a status page without a token and anything of a spec, which takes no write", async () => {
    const all = await (await fetch(`${url}/api/tree`)).text();
    const hidden = [...Object.values(env.platform.tokens), env.platform.url, env.platform.organizationId];
    expect(hidden.filter((text) => all.includes(text))).toEqual([]);
    expect((await fetch(`${url}/api/tree`, { method: "POST", body: "{}" })).status).toBe(405);
  });

  it("serves metrics that Prometheus expects, and none that the reference does not list", async () => {
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

  it("forgets the metrics of an object that is gone", async () => {
    await env.remove("PlatformApplication", "api");
    await env.waitGone("PlatformApplication", "api");
    await expect.poll(() => metricsOf(env.operator)).not.toContain(`exported_namespace="${env.namespace}",name="api"`);
  });
});
