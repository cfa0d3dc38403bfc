/**
 * A real fault causes each alert of the chart: a real Prometheus scrapes operators at a real API server and loads our
 * rules with a sixtieth of their times. There is one test for each fault, and one operator for each group of faults.
 */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { LEASE_NAME, OPERATOR } from "../../src/operator/config/names.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { startPrometheus } from "../monitoring/prometheus.ts";
import { recordings, rules, scaled, scaledRecording } from "../monitoring/rules.ts";
import { stagedApplications } from "../support/env/applications.ts";
import { createEnv, type Env, type EnvOptions } from "../support/env/env.ts";
import { type RunningOperator, startOperator } from "../support/env/operator.ts";
import { application, connection, defaults, environment, project, secret, tree } from "../support/kube/manifests.ts";
import { type TcpProxy, tcpProxy } from "../support/kube/tcp-proxy.ts";
import { freePort } from "../support/programs/free-port.ts";

const FACTOR = 60;
const BAD_COMMIT = "bad0c0de5eed5eed5eed5eed5eed5eed5eed5eed";

const controlPlane = await startControlPlane({ crdsDir: join(import.meta.dirname, "../../crds") });
const crashingPort = await freePort();
const prometheus = await startPrometheus([
  ...recordings().map((recording) => scaledRecording(recording, FACTOR)),
  ...rules().map((rule) => scaled(rule, FACTOR)),
]);
afterAll(async () => {
  await prometheus.stop();
  await controlPlane.stop();
});

/** For the tests of a group, which runs concurrently with others. */
const IN_ORDER = { concurrent: false };
/** Six operators share the machine. */
const PATIENCE_MS = 90_000;

/**
 * Creates an env whose operator is scraped as the given job. By default it leads without a lease: it would lose a lease
 * and exit when the busy machine pauses it for seconds.
 */
function scrapedEnv(job: string, { args = ["--leader-elect=false"], ...options }: Partial<EnvOptions> = {}): Env {
  const env = createEnv({ surface: "full", controlPlane, windows: { pollMs: 2_000 }, args, ...options });
  beforeAll(() => prometheus.scrape(job, env.operator.metricsUrl));
  return env;
}

describe.concurrent("a failing platform", () => {
  const job = "platform";
  const env = scrapedEnv(job);

  it("fires PlatformApiErrors while it answers 5xx", IN_ORDER, async () => {
    const { faults } = env.platform.sim;
    await env.apply(...defaults(env), project("a"), environment(env, "a", "a"));
    await env.waitFor("PlatformEnvironment", "a", { status: "True" }, PATIENCE_MS);
    expect(await prometheus.firing("PlatformApiErrors", job)).toEqual([]);
    faults.add({ every: 3, count: null, answer: { is: "status", status: 503 } });
    expect(await prometheus.untilFiring("PlatformApiErrors", job)).toMatchObject({
      severity: "warning",
      namespace: "ops",
    });
    faults.clear();
    await prometheus.untilQuiet("PlatformApiErrors", job);
  });

  it("fires PlatformApiRateLimited while it answers 429", IN_ORDER, async () => {
    const { faults } = env.platform.sim;
    expect(await prometheus.firing("PlatformApiRateLimited", job)).toEqual([]);
    faults.add({ every: 4, count: null, answer: { is: "rate-limited", reset: "1" } });
    await prometheus.untilFiring("PlatformApiRateLimited", job);
    faults.clear();
    await prometheus.untilQuiet("PlatformApiRateLimited", job);
  });

  it(
    "fires PlatformApiHeldBack for one 429 with a long pause, then PlatformApplyToCallSlow for the delayed objects",
    IN_ORDER,
    async () => {
      const { faults } = env.platform.sim;
      expect(await prometheus.firing("PlatformApiHeldBack", job)).toEqual([]);
      expect(await prometheus.firing("PlatformApplyToCallSlow", job)).toEqual([]);
      // More than the 30 s of the objective; only the rules' windows are shortened.
      faults.add({ count: 1, answer: { is: "rate-limited", reset: "40" } });
      await prometheus.untilFiring("PlatformApiHeldBack", job);
      await env.apply(...Array.from({ length: 40 }, (_, index) => project(`waits-${index}`)));
      await prometheus.untilQuiet("PlatformApiHeldBack", job);
      await prometheus.untilFiring("PlatformApplyToCallSlow", job);
    },
  );

  it(
    "fires PlatformAuthFailing and PlatformConnectionDown after a token is revoked, until there is another one",
    IN_ORDER,
    async () => {
      const { auth } = env.platform.sim;
      const { value } = auth.createToken({
        name: "next",
        organizationId: env.platform.organizationId,
        scopes: ["Admin"],
      });
      auth.revoke("admin");
      const alert = { kind: "PlatformConnection", reason: "CredentialsInvalid", severity: "critical" };
      expect(await prometheus.untilFiring("PlatformAuthFailing", job)).toMatchObject(alert);
      expect(await prometheus.untilFiring("PlatformConnectionDown", job)).toMatchObject({
        exported_namespace: env.namespace,
        name: "default",
        severity: "warning",
      });
      // The general alert does not report it again.
      expect(await prometheus.firing("PlatformResourceStalled", job)).toEqual([]);
      await env.apply(secret("default", { token: value }));
      await prometheus.untilQuiet("PlatformAuthFailing", job);
      await prometheus.untilQuiet("PlatformConnectionDown", job);
    },
  );
});

describe.concurrent("failing custom resources", () => {
  const job = "resources";
  const env = scrapedEnv(job, { args: ["--leader-elect=false", "--metrics-per-object", "--metrics-per-namespace"] });
  const apps = stagedApplications(env);

  it(
    "fires PlatformResourceNotReady and PlatformResourceStalled for a commit that does not build",
    IN_ORDER,
    async () => {
      await env.apply(...defaults(env), ...tree(env, "good"));
      await env.waitFor("PlatformApplication", "good", { status: "True" }, PATIENCE_MS);
      await env.apply(application("broken", "good", { deploy: { gitCommitId: BAD_COMMIT } }));
      expect(await prometheus.untilFiring("PlatformResourceStalled", job)).toMatchObject({
        kind: "PlatformApplication",
        reason: "BuildFailed",
        exported_namespace: env.namespace,
      });
      expect(await prometheus.untilFiring("PlatformResourceNotReady", job)).toMatchObject({
        customresource_kind: "PlatformApplication",
        exported_namespace: env.namespace,
        name: "broken",
      });
      expect(await prometheus.firing("PlatformResourceNotReady", job)).toHaveLength(1);
      await env.patch("PlatformApplication", "broken", { spec: { deploy: { gitCommitId: "900d1de" } } });
      await prometheus.untilQuiet("PlatformResourceStalled", job);
      await prometheus.untilQuiet("PlatformResourceNotReady", job);
    },
  );

  it("fires PlatformAuthFailing as a warning for a team's connection without its Secret", IN_ORDER, async () => {
    await env.apply(connection(env, "without-secret"));
    expect(await prometheus.untilFiring("PlatformAuthFailing", job)).toMatchObject({
      reason: "CredentialsMissing",
      severity: "warning",
      exported_namespace: env.namespace,
    });
    await env.remove("PlatformConnection", "without-secret");
    await prometheus.untilQuiet("PlatformAuthFailing", job);
  });

  it("fires PlatformUnexpectedValues for an undocumented state", IN_ORDER, async () => {
    await apps.edit("good", { state: "HIBERNATING" });
    expect(await prometheus.untilFiring("PlatformUnexpectedValues", job)).toMatchObject({
      kind: "PlatformApplication",
    });
    await apps.edit("good", { state: "DEPLOYED" });
    await prometheus.untilQuiet("PlatformUnexpectedValues", job);
  });

  it("fires PlatformOperationTooLong for a deployment that does not end", IN_ORDER, async () => {
    const { durations } = env.platform.sim.settings;
    durations.deploy = 1_000_000;
    await apps.change("good", { deploy: { gitCommitId: "fedcba9" } });
    expect(await prometheus.untilFiring("PlatformOperationTooLong", job)).toMatchObject({
      kind: "PlatformApplication",
    });
    env.platform.sim.time.advance(1_000_000);
    await prometheus.untilQuiet("PlatformOperationTooLong", job);
  });
});

describe.concurrent("blocked workers", () => {
  const job = "workers";
  const env = scrapedEnv(job, { args: ["--leader-elect=false", "--workers=1"], deadlines: { readMs: 600_000 } });

  it(
    "fires PlatformOperatorQueueBacklog while objects wait for a worker, whether their number grows or not",
    IN_ORDER,
    async () => {
      await env.apply(...defaults(env));
      await env.waitFor("PlatformConnection", "default", { status: "True" }, PATIENCE_MS);
      env.platform.sim.faults.add({ count: null, answer: { is: "slow", seconds: 0.5 } });
      await env.apply(...Array.from({ length: 30 }, (_, index) => project(`waits-${index}`)));
      expect(await prometheus.untilFiring("PlatformOperatorQueueBacklog", job)).toMatchObject({ severity: "warning" });
      env.platform.sim.faults.clear();
      await prometheus.untilQuiet("PlatformOperatorQueueBacklog", job);
    },
  );

  it("fires PlatformOperatorReconcileStuck for a call that takes long", IN_ORDER, async () => {
    // This env has no deadline of 15 s for calls.
    env.platform.sim.faults.add({ count: null, answer: { is: "slow", seconds: 300 } });
    await env.apply(project("a"));
    await prometheus.untilFiring("PlatformOperatorReconcileStuck", job);
    // The alert reports that a reconcile is stuck, and the log which one.
    const warnings = () => env.operator.logs().filter(({ message }) => message === "is still being reconciled");
    await vi.waitFor(() => expect(warnings()).not.toEqual([]), PATIENCE_MS);
    const [first, ...others] = warnings();
    const object = { kind: expect.stringMatching(/^Platform/), namespace: env.namespace };
    expect(first).toMatchObject({ level: "warn", logger: "engine", pass: expect.stringMatching(/-/), ...object });
    expect(others).toEqual([]);
    await env.kill();
    await prometheus.untilQuiet("PlatformOperatorReconcileStuck", job);
  });
});

describe.concurrent("an operator that crashes", () => {
  const job = "crashes";
  // Each start listens on the same port, like a container that is restarted in its pod.
  const env = scrapedEnv(job, { args: ["--leader-elect=false", `--metrics-bind-address=127.0.0.1:${crashingPort}`] });

  it("fires PlatformOperatorCrashLooping at the third restart", IN_ORDER, async () => {
    const untilScraped = async (starts: number): Promise<void> => {
      const changes = `changes(process_start_time_seconds{job="${job}"}[60s]) == ${starts}`;
      await vi.waitFor(async () => expect(await prometheus.query(changes)).not.toEqual([]), PATIENCE_MS);
    };
    await untilScraped(0);
    for (const starts of [1, 2, 3]) {
      expect(await prometheus.firing("PlatformOperatorCrashLooping", job)).toEqual([]);
      await env.kill();
      await env.start();
      await untilScraped(starts);
    }
    expect(await prometheus.untilFiring("PlatformOperatorCrashLooping", job)).toMatchObject({ severity: "critical" });
    await prometheus.untilQuiet("PlatformOperatorCrashLooping", job);
  });
});

describe.concurrent("missing rights", () => {
  const job = "rights";
  const env = scrapedEnv(job, { mayRefuse: ["platformprojects"], mayLog: /platformprojects|PlatformProject/ });

  it("fires PlatformOperatorReconcileErrors while the operator cannot write a status", IN_ORDER, async () => {
    await env.apply(...defaults(env), project("a"));
    await env.waitFor("PlatformProject", "a", { status: "True" }, PATIENCE_MS);
    const role = `clusterrole/${env.operatorNamespace}`;
    const found = await env.kubectl(["get", role, "-o", "json"]);
    // Without a resourceVersion it replaces any version.
    const before = found.replace(/"resourceVersion": "\d+",?/, "");
    expect(before).toContain('"platformprojects/status"');
    const without = before.replaceAll('"platformprojects/status"', '"platformprojects/none"');
    await kubectl(controlPlane, ["replace", "-f", "-"], { input: without });
    await env.apply(...["b", "c", "d", "e"].map((name) => project(name)));
    expect(await prometheus.untilFiring("PlatformOperatorReconcileErrors", job)).toMatchObject({
      controller: "platformproject",
    });
    await kubectl(controlPlane, ["replace", "-f", "-"], { input: before });
    await env.waitFor("PlatformProject", "e", { status: "True" }, PATIENCE_MS);
    await prometheus.untilQuiet("PlatformOperatorReconcileErrors", job);
  });
});

describe.concurrent("a silent API server", () => {
  const job = "silence";
  let proxy: TcpProxy;
  beforeAll(async () => {
    proxy = await tcpProxy(Number(new URL(controlPlane.server).port));
  });
  afterAll(async () => proxy.stop());
  const env = scrapedEnv(job, { through: () => proxy.port, mayLog: /./ });

  it(
    "fires PlatformOperatorWatchSilent after two minutes of real time, and alerts for failing and slow requests",
    IN_ORDER,
    async () => {
      await env.apply(...defaults(env), project("a"));
      await env.waitFor("PlatformProject", "a", { status: "True" }, PATIENCE_MS);
      expect(await prometheus.firing("PlatformOperatorWatchSilent", job)).toEqual([]);
      for (const alert of ["PlatformOperatorApiServerErrors", "PlatformOperatorApiServerSlow"])
        expect(await prometheus.firing(alert, job)).toEqual([]);
      proxy.freezeAll();
      await prometheus.untilFiring("PlatformOperatorApiServerErrors", job);
      await prometheus.untilFiring("PlatformOperatorApiServerSlow", job);
      expect(await prometheus.untilFiring("PlatformOperatorWatchSilent", job)).toMatchObject({
        kind: expect.stringMatching(/^(Cluster)?Platform/),
        severity: "warning",
      });
      proxy.thaw();
      await prometheus.untilQuiet("PlatformOperatorWatchSilent", job);
      await prometheus.untilQuiet("PlatformOperatorApiServerErrors", job);
      await prometheus.untilQuiet("PlatformOperatorApiServerSlow", job);
      await env.apply(project("b"));
      await env.waitFor("PlatformProject", "b", { status: "True" }, PATIENCE_MS);
    },
  );
});

describe.concurrent("an operator without resources", () => {
  const job = "resources-missing";
  const env = scrapedEnv(job);

  it("fires PlatformOperatorResourcesMissing while there are no resources", IN_ORDER, async () => {
    expect(await prometheus.untilFiring("PlatformOperatorResourcesMissing", job)).toMatchObject({
      severity: "warning",
    });
    await env.apply(...defaults(env));
    await prometheus.untilQuiet("PlatformOperatorResourcesMissing", job);
  });
});

// After all others: PlatformOperatorAbsent does not fire while any operator is scraped.
describe("the operator itself", () => {
  const job = "itself";
  const env = scrapedEnv(job, { args: [], mayLog: /lost the lease/ });

  it("fires PlatformOperatorNotOneLeader while a second installation also leads", async () => {
    expect(await prometheus.firing("PlatformOperatorNotOneLeader", job)).toEqual([]);
    const second: RunningOperator = await startOperator({
      program: inject("program"),
      kubeconfig: await kubeconfigFor(controlPlane, env.operatorNamespace, OPERATOR),
      args: [
        "--leader-elect=false",
        `--watch-namespaces=${env.namespace}`,
        `--operator-namespace=${env.operatorNamespace}`,
      ],
    });
    await prometheus.scrape(job, second.metricsUrl);
    await prometheus.untilFiring("PlatformOperatorNotOneLeader", job);
    expect((await prometheus.query(`sum(leader_election_master_status{job="${job}"})`))[0]?.values[0]?.[1]).toBe("2");
    expect(await second.stop()).toMatchObject({ code: 0 });
    await prometheus.untilQuiet("PlatformOperatorNotOneLeader", job);
  });

  it("fires PlatformOperatorNotOneLeader while a process that no longer exists holds the lease", async () => {
    await env.stop();
    const now = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: "gone", leaseDurationSeconds: 30, acquireTime: now, renewTime: now };
    const lease = ["-n", env.operatorNamespace, "lease", LEASE_NAME];
    await kubectl(controlPlane, ["patch", ...lease, "--type=merge", "-p", JSON.stringify({ spec })]);
    await env.start();
    await prometheus.scrape(job, env.operator.metricsUrl);
    expect(await prometheus.untilFiring("PlatformOperatorNotOneLeader", job)).toMatchObject({ severity: "critical" });
    await prometheus.untilQuiet("PlatformOperatorNotOneLeader", job);
  });

  it("fires PlatformOperatorAbsent after it is killed, until it is started again", async () => {
    expect(await prometheus.firing("PlatformOperatorAbsent")).toEqual([]);
    await env.kill();
    expect(await prometheus.untilFiring("PlatformOperatorAbsent")).toMatchObject({ severity: "critical" });
    await env.start();
    await prometheus.scrape(job, env.operator.metricsUrl);
    await prometheus.untilQuiet("PlatformOperatorAbsent");
  });
});
