/**
 * A real fault causes each alert of the chart: a real Prometheus scrapes operators at a real API server and loads our
 * rules with a sixtieth of their times. There is one test for each fault, and one operator for each group of faults.
 */
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { OPERATOR } from "../../src/config/names.ts";
import { kubeconfigFor, kubectl } from "../control-plane/access.ts";
import { stagedApplications } from "../integration/staged-applications.ts";
import { startPrometheus } from "../monitoring/prometheus.ts";
import { recordings, rules, scaled, scaledRecording } from "../monitoring/rules.ts";
import { createEnv, type Env, type EnvOptions } from "../support/env/env.ts";
import { startOperator } from "../support/env/operator.ts";
import { withdrawRights } from "../support/env/rights.ts";
import { createStage } from "../support/env/stage.ts";
import { application, defaults, environment, project, secret, tree } from "../support/kube/manifests.ts";
import { type TcpProxy, tcpProxy } from "../support/kube/tcp-proxy.ts";
import { freePort } from "../support/programs/free-port.ts";

const FACTOR = 60;
const BAD_COMMIT = "bad0c0de5eed5eed5eed5eed5eed5eed5eed5eed";

const controlPlane = inject("controlPlane");
const crashingPort = await freePort();
const prometheus = await startPrometheus([
  ...recordings().map((recording) => scaledRecording(recording, FACTOR)),
  ...rules().map((rule) => scaled(rule, FACTOR)),
]);
/** Evaluates the only alert that does not fire while any operator is scraped. */
const lonely = await startPrometheus(
  rules()
    .filter(({ alert }) => alert === "PlatformOperatorAbsent")
    .map((rule) => scaled(rule, FACTOR)),
);

/** For the tests of a group, which runs concurrently with others. */
const IN_ORDER = { concurrent: false };
/** Seven operators share the machine. */
const PATIENCE_MS = 90_000;

/**
 * Creates an env whose operator is scraped as the given job. By default it leads without a lease: it would lose a lease
 * and exit when the busy machine pauses it for seconds.
 */
function scrapedEnv(job: string, { args = ["--leader-elect=false"], ...options }: Partial<EnvOptions> = {}): Env {
  const env = createEnv({ surface: "full", windows: { pollMs: 2_000 }, args, ...options });
  beforeAll(() => prometheus.scrape(job, env.operator.metricsUrl));
  return env;
}

/**
 * Expects that alerts of a job do not fire, and that they do after `cause`, with these labels.
 * @returns a function that waits until they are quiet again
 */
async function expectFiring(
  job: string,
  alerts: Readonly<Record<string, object>>,
  cause: () => unknown,
): Promise<() => Promise<void>> {
  for (const alert of Object.keys(alerts)) expect(await prometheus.firing(alert, job), alert).toEqual([]);
  await cause();
  for (const [alert, labels] of Object.entries(alerts)) {
    expect(await prometheus.untilFiring(alert, job)).toMatchObject(labels);
  }
  return async () => {
    for (const alert of Object.keys(alerts)) await prometheus.untilQuiet(alert, job);
  };
}

describe.concurrent("a failing platform", () => {
  const job = "platform";
  const env = scrapedEnv(job);

  it("fires PlatformApiErrors while it answers 5xx", IN_ORDER, async () => {
    const { faults } = env.platform.sim;
    await env.ready(...defaults(env), project("a"), environment(env, "a", "a"));
    const labels = { severity: "warning", namespace: "ops" };
    const untilQuiet = await expectFiring(job, { PlatformApiErrors: labels }, () =>
      faults.add({ every: 3, count: null, answer: { is: "status", status: 503 } }),
    );
    faults.clear();
    await untilQuiet();
  });

  it("fires PlatformApiRateLimited while it answers 429", IN_ORDER, async () => {
    const { faults } = env.platform.sim;
    const untilQuiet = await expectFiring(job, { PlatformApiRateLimited: {} }, () =>
      faults.add({ every: 4, count: null, answer: { is: "rate-limited", reset: "1" } }),
    );
    faults.clear();
    await untilQuiet();
  });

  it("fires PlatformApiHeldBack for a 429 with a long pause, then PlatformApplyToCallSlow", IN_ORDER, async () => {
    expect(await prometheus.firing("PlatformApplyToCallSlow", job)).toEqual([]);
    // More than the 30 s of the objective; only the rules' windows are shortened.
    const untilQuiet = await expectFiring(job, { PlatformApiHeldBack: {} }, () =>
      env.platform.sim.faults.add({ count: 1, answer: { is: "rate-limited", reset: "40" } }),
    );
    await env.apply(...Array.from({ length: 40 }, (_, index) => project(`waits-${index}`)));
    await untilQuiet();
    await prometheus.untilFiring("PlatformApplyToCallSlow", job);
  });

  it("fires PlatformAuthFailing and PlatformConnectionDown while a token is revoked", IN_ORDER, async () => {
    const { auth } = env.platform.sim;
    const { organizationId } = env.platform;
    const { value } = auth.createToken({ name: "next", organizationId, scopes: ["Admin"] });
    const alerts = {
      PlatformAuthFailing: { kind: "PlatformConnection", reason: "CredentialsInvalid", severity: "critical" },
      PlatformConnectionDown: { exported_namespace: env.namespace, name: "default", severity: "warning" },
    };
    const untilQuiet = await expectFiring(job, alerts, () => auth.revoke("admin"));
    // The general alert does not report it again.
    expect(await prometheus.firing("PlatformResourceStalled", job)).toEqual([]);
    await env.apply(secret("default", { token: value }));
    await untilQuiet();
  });
});

describe.concurrent("failing custom resources", () => {
  const job = "resources";
  const env = scrapedEnv(job, { args: ["--leader-elect=false", "--metrics-per-object", "--metrics-per-namespace"] });
  const apps = stagedApplications(env);

  it("fires PlatformResourceStalled and PlatformResourceNotReady for a failing build", IN_ORDER, async () => {
    await env.ready(...defaults(env), ...tree(env, "good"));
    const here = { exported_namespace: env.namespace };
    const alerts = {
      PlatformResourceStalled: { ...here, kind: "PlatformApplication", reason: "BuildFailed" },
      PlatformResourceNotReady: { ...here, customresource_kind: "PlatformApplication", name: "broken" },
    };
    const untilQuiet = await expectFiring(job, alerts, () =>
      env.apply(application("broken", "good", { deploy: { gitCommitId: BAD_COMMIT } })),
    );
    expect(await prometheus.firing("PlatformResourceNotReady", job)).toHaveLength(1);
    await env.patch("PlatformApplication", "broken", { spec: { deploy: { gitCommitId: "900d1de" } } });
    await untilQuiet();
  });

  it("fires PlatformUnexpectedValues for an undocumented state", IN_ORDER, async () => {
    const untilQuiet = await expectFiring(job, { PlatformUnexpectedValues: { kind: "PlatformApplication" } }, () =>
      apps.edit("good", { state: "HIBERNATING" }),
    );
    await apps.edit("good", { state: "DEPLOYED" });
    await untilQuiet();
  });

  it("fires PlatformObjectsOrphaned for an object that the platform does not delete", IN_ORDER, async () => {
    await env.apply(application("left", "good", { lifecycle: { deletionPolicy: "Delete" } }));
    await env.waitFor("PlatformApplication", "left", { status: "True" });
    const left = { kind: "PlatformApplication", reason: "NotSupportedByPlatform" };
    const untilQuiet = await expectFiring(job, { PlatformObjectsOrphaned: left }, async () => {
      const match = { operation: "deleteApplication" };
      env.platform.sim.faults.add({ name: "no deletion", match, count: null, answer: { is: "status", status: 405 } });
      await env.delete(await env.get("PlatformApplication", "left"));
    });
    await env.kubectl([
      "-n",
      env.operatorNamespace,
      "delete",
      "configmap",
      "-l",
      "platform-operator.io/ledger=orphans",
    ]);
    await untilQuiet();
  });

  it("fires PlatformOperationTooLong for a deployment that does not end", IN_ORDER, async () => {
    const { settings, time } = env.platform.sim;
    const untilQuiet = await expectFiring(job, { PlatformOperationTooLong: { kind: "PlatformApplication" } }, () => {
      settings.durations.deploy = 1_000_000;
      return apps.change("good", { deploy: { gitCommitId: "fedcba9" } });
    });
    time.advance(1_000_000);
    await untilQuiet();
  });
});

describe.concurrent("blocked workers", () => {
  const job = "workers";
  const env = scrapedEnv(job, { args: ["--leader-elect=false", "--workers=1"], deadlines: { readMs: 600_000 } });

  it("fires PlatformOperatorQueueBacklog while objects wait, whether their number grows or not", IN_ORDER, async () => {
    await env.ready(...defaults(env));
    const { faults } = env.platform.sim;
    const untilQuiet = await expectFiring(job, { PlatformOperatorQueueBacklog: { severity: "warning" } }, () => {
      faults.add({ count: null, answer: { is: "slow", seconds: 0.5 } });
      return env.apply(...Array.from({ length: 30 }, (_, index) => project(`waits-${index}`)));
    });
    faults.clear();
    await untilQuiet();
  });

  it("fires PlatformOperatorReconcileStuck for a call that takes long", IN_ORDER, async () => {
    const untilQuiet = await expectFiring(job, { PlatformOperatorReconcileStuck: {} }, () => {
      // This env has no deadline of 15 s for calls.
      env.platform.sim.faults.add({ count: null, answer: { is: "slow", seconds: 300 } });
      return env.apply(project("a"));
    });
    // The alert reports that a reconcile is stuck, and the log which one.
    const warnings = () => env.operator.logs().filter(({ message }) => message === "is still being reconciled");
    await vi.waitFor(() => expect(warnings()).not.toEqual([]), PATIENCE_MS);
    const [first, ...others] = warnings();
    const object = { kind: expect.stringMatching(/^Platform/), namespace: env.namespace };
    expect(first).toMatchObject({
      level: "warn",
      logger: "engine",
      reconcileID: expect.stringMatching(/-/),
      ...object,
    });
    expect(others).toEqual([]);
    await env.kill();
    await untilQuiet();
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
    const restart = async (starts: number): Promise<void> => {
      await env.kill();
      await env.start();
      await untilScraped(starts);
    };
    await untilScraped(0);
    for (const starts of [1, 2]) {
      expect(await prometheus.firing("PlatformOperatorCrashLooping", job)).toEqual([]);
      await restart(starts);
    }
    const untilQuiet = await expectFiring(job, { PlatformOperatorCrashLooping: { severity: "critical" } }, () =>
      restart(3),
    );
    await untilQuiet();
  });
});

describe.concurrent("missing rights", () => {
  const job = "rights";
  const env = scrapedEnv(job, { mayRefuse: ["platformprojects"], mayLog: /platformprojects|PlatformProject/ });

  it("fires PlatformOperatorResourcesMissing while there are no resources", IN_ORDER, async () => {
    expect(await prometheus.untilFiring("PlatformOperatorResourcesMissing", job)).toMatchObject({
      severity: "warning",
    });
    await env.apply(...defaults(env), project("a"));
    await prometheus.untilQuiet("PlatformOperatorResourcesMissing", job);
  });

  it("fires PlatformOperatorReconcileErrors while the operator cannot write a status", IN_ORDER, async () => {
    await env.waitFor("PlatformProject", "a", { status: "True" }, PATIENCE_MS);
    const role = `clusterrole/${env.operatorNamespace}`;
    const found = await env.kubectl(["get", role, "-o", "json"]);
    // Without a resourceVersion it replaces any version.
    const before = found.replace(/"resourceVersion": "\d+",?/, "");
    expect(before).toContain('"platformprojects/status"');
    const without = before.replaceAll('"platformprojects/status"', '"platformprojects/none"');
    const alerts = { PlatformOperatorReconcileErrors: { controller: "platformproject" } };
    const untilQuiet = await expectFiring(job, alerts, async () => {
      await kubectl(controlPlane, ["replace", "-f", "-"], { input: without });
      await env.apply(...["b", "c", "d", "e"].map((name) => project(name)));
    });
    await kubectl(controlPlane, ["replace", "-f", "-"], { input: before });
    await env.waitFor("PlatformProject", "e", { status: "True" }, PATIENCE_MS);
    await untilQuiet();
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

  it("fires alerts for failing, slow and (after two minutes of real time) silent requests", IN_ORDER, async () => {
    await env.ready(...defaults(env), project("a"));
    const alerts = {
      PlatformOperatorApiServerErrors: {},
      PlatformOperatorApiServerSlow: {},
      PlatformOperatorWatchSilent: { kind: expect.stringMatching(/^(Cluster)?Platform/), severity: "warning" },
    };
    const untilQuiet = await expectFiring(job, alerts, () => proxy.freezeAll());
    proxy.thaw();
    await untilQuiet();
    await env.ready(project("b"));
  });
});

describe.concurrent("the operator itself", () => {
  const job = "itself";
  const env = scrapedEnv(job, { args: [], mayLog: /lost the lease/ });

  it("fires PlatformOperatorNotOneLeader while a second installation also leads", IN_ORDER, async () => {
    const second = await startOperator({
      program: inject("program"),
      kubeconfig: await kubeconfigFor(controlPlane, env.operatorNamespace, OPERATOR),
      args: [
        "--leader-elect=false",
        `--watch-namespaces=${env.namespace}`,
        `--operator-namespace=${env.operatorNamespace}`,
      ],
    });
    const untilQuiet = await expectFiring(job, { PlatformOperatorNotOneLeader: {} }, () =>
      prometheus.scrape(job, second.metricsUrl),
    );
    const [leaders] = await prometheus.query(`sum(leader_election_master_status{job="${job}"})`);
    expect(leaders?.values[0]?.[1]).toBe("2");
    expect(await second.stop()).toMatchObject({ code: 0 });
    await untilQuiet();
  });

  it("fires PlatformOperatorOverlappingReleases while another release watches its namespace", IN_ORDER, async () => {
    const other = createStage("other", {});
    await other.open();
    const second = await other.start([`--watch-namespaces=${env.namespace}`]);
    const untilQuiet = await expectFiring(job, { PlatformOperatorOverlappingReleases: {} }, () =>
      prometheus.scrape(job, second.metricsUrl),
    );
    expect(await second.stop()).toMatchObject({ code: 0 });
    await untilQuiet();
    await withdrawRights(other.client, other.operatorNamespace);
    await other.client.close();
  });

  it("fires PlatformOperatorAbsent until it is scraped, and after it is killed", IN_ORDER, async () => {
    expect(await lonely.untilFiring("PlatformOperatorAbsent")).toMatchObject({ severity: "critical" });
    await lonely.scrape(job, env.operator.metricsUrl);
    await lonely.untilQuiet("PlatformOperatorAbsent");
    await env.kill();
    await lonely.untilFiring("PlatformOperatorAbsent");
  });
});
