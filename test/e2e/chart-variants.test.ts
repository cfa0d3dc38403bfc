/** The chart with every variant of its values: rendered, checked by kube-score and applied to a real API server. */
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { valueDefaults } from "../../scripts/chart/files.ts";
import { ACCEPTED_FINDINGS } from "../../scripts/chart/scores.ts";
import { kubectl } from "../control-plane/access.ts";
import { startControlPlane, type ControlPlane } from "../control-plane/control-plane.ts";
import { installCrds } from "../support/hostile/foreign-crds.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { goModuleFolder } from "../tools/go-module.ts";
import { findGoTool } from "../tools/go-tools.ts";
import { CHART, type Helm, openHelm, type Overrides, render, type Rendered } from "./helm.ts";
import { pathsOf, VARIANTS, without } from "./variants.ts";

const KNOWN = valueDefaults();
/** `enabled` is for charts that depend on this one. */
const WITHOUT_EFFECT = new Set(["enabled"]);
const variants = Object.entries(VARIANTS).map(([name, values]) => ({ name, values }));

let helm: Helm;
beforeAll(async () => {
  helm = await openHelm();
});

const text = (values: Overrides): Promise<string> => helm.run(["template", "platform-operator", CHART], values);

describe("the values of the chart", () => {
  it("are all set by some variant", () => {
    const set = new Set(variants.flatMap(({ values }) => pathsOf(values, KNOWN)));
    expect([...KNOWN.keys()].filter((path) => !set.has(path) && !WITHOUT_EFFECT.has(path))).toEqual([]);
  });

  it.each(variants)("$name: each of them changes the output", async ({ values }) => {
    const whole = await text(values);
    for (const path of pathsOf(values, KNOWN)) {
      // The others may require this one.
      const rest = await text(without(values, path)).catch(String);
      expect(rest === whole, `${path} changes nothing`).toBe(false);
    }
  });

  it.each(variants)("$name: helm lint reports nothing", async ({ values }) => {
    const output = await helm.run(["lint", CHART, "--strict"], values);
    expect(output.match(/^\[\w+\].*/gm) ?? []).toEqual([]);
    expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  type Refused = readonly [title: string, values: Overrides, message: RegExp];
  /** Values of which unit/chart-values.test.ts does not compare the schema with the operator. */
  const refused: readonly Refused[] = [
    ["an unknown value", { replcias: 2 }, /additional properties 'replcias' not allowed/],
    [
      "an unknown nested value",
      { image: { version: "1" } },
      /at '\/image': additional properties 'version' not allowed/,
    ],
    ["a text for a number", { replicas: "two" }, /at '\/replicas': got string, want integer/],
    ["too many replicas", { replicas: 10 }, /at '\/replicas': maximum: got 10, want 9/],
    ["no shards", { shards: 0 }, /at '\/shards': minimum: got 0, want 1/],
    ["too many shards", { shards: 17 }, /at '\/shards': maximum: got 17, want 16/],
    [
      "webhooks with shards",
      { shards: 4, webhook: { enabled: true } },
      /webhook\.enabled requires shards: 1, and shards is 4: .* Set webhook\.enabled to false/,
    ],
    ["a tag as digest", { image: { digest: "latest" } }, /at '\/image\/digest': 'latest' does not match pattern/],
    ["a privileged port", { webhook: { port: 80 } }, /at '\/webhook\/port': minimum: got 80, want 1,?024/],
    // A rule with an empty list of peers or ports allows all of them.
    ...["apiServerCidrs", "apiServerPorts", "platformCidrs", "platformPorts"].map((name): Refused => [
      `a policy with empty ${name}`,
      { networkPolicy: { [name]: [] } },
      new RegExp(`at '/networkPolicy/${name}': minItems: got 0, want 1`),
    ]),
    ["one port for two servers", { statusPage: { port: 8081 } }, /have to differ: \[8081 8080 8081\]/],
    [
      "an ingress without a host",
      { webhook: { enabled: true, ingress: { enabled: true } } },
      /webhook\.ingress\.host: which host/,
    ],
    [
      "a required ServiceMonitor without its CRD",
      { metrics: { serviceMonitor: { enabled: true, renderMode: "failIfMissing" } } },
      /The cluster does not have monitoring\.coreos\.com\/v1\/ServiceMonitor\. Install it first/,
    ],
  ];
  it.each(refused)("refuse %s", async (_title, values, message) => {
    await expect(text(values)).rejects.toThrow(message);
  });

  it.each([
    ["http://collector.monitoring.svc:4318", 4318],
    ["https://collector.example.com", 443],
    ["http://[2001:db8::1]:4318/otlp", 4318],
  ])("allow traces, and the way to a proxy, through the network policy to %s", async (url, port) => {
    for (const given of [{ tracing: { otlpEndpoint: url } }, { operator: { platformProxy: url } }]) {
      const rendered = await render(helm, { ...given, networkPolicy: { enabled: true } });
      const policies = rendered.filter(({ kind }) => kind === "NetworkPolicy");
      expect(policies).toMatchObject([{ spec: { egress: expect.arrayContaining([{ ports: [{ port }] }]) } }]);
    }
  });

  it("replace pods one after the other without settings of another strategy", async () => {
    const rendered = await render(helm, { strategy: { type: "Recreate" } });
    const deployment = rendered.find(({ kind }) => kind === "Deployment");
    expect(deployment?.["spec"]).toMatchObject({ strategy: { type: "Recreate" } });
    expect(JSON.stringify(deployment)).not.toContain("rollingUpdate");
  });

  it("have no alerts without metrics, of which they would miss all", async () => {
    const prometheusRule = { enabled: true, renderMode: "alwaysRender" };
    expect(kindsOf(await render(helm, { metrics: { prometheusRule } }))).toContain("PrometheusRule");
    expect(kindsOf(await render(helm, { metrics: { enabled: false, prometheusRule } }))).not.toContain(
      "PrometheusRule",
    );
  });

  it("link an alert to the runbook of the chart's version", async () => {
    const rendered = await text({ metrics: { prometheusRule: { enabled: true, renderMode: "alwaysRender" } } });
    expect(rendered).toMatch(
      /runbook_url: https:\S+\/blob\/v\d+\.\d+\.\d+\/docs\/runbooks\/PlatformOperatorAbsent\.md$/m,
    );
  });

  it("alert for the absence of their own job if the chart's ServiceMonitor defines it", async () => {
    const prometheusRule = { enabled: true, renderMode: "alwaysRender" };
    const own = await text({ metrics: { prometheusRule, serviceMonitor: { enabled: true } } });
    expect(own).toContain('absent(platform_operator_build_info{namespace="default", job="platform-operator-metrics"})');
    expect(await text({ metrics: { prometheusRule } })).toContain("absent(platform_operator_build_info)");
  });

  it("divide the objects among the pods of a StatefulSet", async () => {
    const rendered = await render(helm, { shards: 4 });
    const specOf = (kind: string, name = "platform-operator"): unknown =>
      rendered.find(({ kind: of, metadata }) => of === kind && metadata.name === name)?.["spec"];
    expect(kindsOf(rendered)).not.toContain("Deployment");
    expect(specOf("StatefulSet")).toMatchObject({
      replicas: 4,
      serviceName: "platform-operator-shards",
      podManagementPolicy: "Parallel",
      template: { spec: { containers: [{ args: expect.arrayContaining(["--shards=4"]) }] } },
    });
    expect(specOf("StatefulSet")).not.toHaveProperty("strategy");
    expect(specOf("Service", "platform-operator-shards")).toMatchObject({
      clusterIP: "None",
      publishNotReadyAddresses: true,
      ports: [{ port: 8081, targetPort: "health" }],
    });
    expect(specOf("PodDisruptionBudget")).toMatchObject({ maxUnavailable: 1 });
    expect(specOf("PodDisruptionBudget")).not.toHaveProperty("minAvailable");
  });

  it("have no trace of shards without them", async () => {
    const rendered = await render(helm, { shards: 1 });
    expect(kindsOf(rendered)).not.toContain("StatefulSet");
    const deployment = JSON.stringify(rendered.filter(({ kind }) => kind === "Deployment" || kind === "Service"));
    expect(deployment).not.toContain("shards");
  });

  it("alert for each shard without a pod if the chart's ServiceMonitor defines its job", async () => {
    const prometheusRule = { enabled: true, renderMode: "alwaysRender" };
    const absent = (index: number): string =>
      `or absent(leader_election_master_status{namespace="default", job="platform-operator-metrics", name="platform-operator-shard-${index}"}) - 1\n`;
    const own = await text({ shards: 2, metrics: { prometheusRule, serviceMonitor: { enabled: true } } });
    for (const index of [0, 1]) expect(own).toContain(absent(index));
    expect(own).not.toContain(absent(2));
    expect(await text({ shards: 2, metrics: { prometheusRule } })).not.toContain("absent(leader_election");
  });

  it("skip kinds that the cluster does not have", async () => {
    const values = { metrics: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } } };
    expect(kindsOf(await render(helm, values))).not.toContain("ServiceMonitor");
    const args = ["--api-versions", "monitoring.coreos.com/v1/ServiceMonitor,monitoring.coreos.com/v1/PrometheusRule"];
    expect(kindsOf(await render(helm, values, { args }))).toEqual(
      expect.arrayContaining(["ServiceMonitor", "PrometheusRule"]),
    );
  });

  it("keep names within their limits for a long release name", async () => {
    const release = `a${"b".repeat(51)}c`;
    const values = { ...VARIANTS["the receiver behind an ingress"], watchNamespaces: ["shop"] };
    const rendered = [
      ...(await render(helm, values, { release })),
      ...(await render(helm, { shards: 16 }, { release })),
    ];
    // The label controller-revision-hash of a StatefulSet's pods is its name, a hyphen and up to ten characters.
    const most = new Map(Object.entries({ Service: 63, Deployment: 63, Pod: 63, StatefulSet: 52 }));
    for (const { kind, metadata } of rendered) {
      expect(metadata.name.length, `${kind} ${metadata.name}`).toBeLessThanOrEqual(most.get(kind) ?? 253);
      for (const label of Object.values(metadata.labels ?? {})) expect(label.length).toBeLessThanOrEqual(63);
    }
  });
});

describe("kube-score", () => {
  const found = new Set<string>();

  it.each(variants)("$name: finds nothing without an accepted reason", async ({ values }) => {
    const findings = await scored(await text(values));
    for (const { check } of findings) found.add(check);
    expect(findings.filter(({ check }) => !Object.hasOwn(ACCEPTED_FINDINGS, check))).toEqual([]);
  });

  it("has no unused reason", () => {
    expect(Object.keys(ACCEPTED_FINDINGS).filter((check) => !found.has(check))).toEqual([]);
  });
});

describe("a real API server", () => {
  const NAMESPACE = "platform-operator";
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ crdsDir: join(import.meta.dirname, "../../crds") });
    for (const namespace of [NAMESPACE, "shop", "warehouse"])
      await kubectl(cluster, ["create", "namespace", namespace]);
    await kubectl(cluster, ["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"]);
    const prometheus = await goModuleFolder("github.com/prometheus-operator/prometheus-operator", "v0.85.0");
    for (const kind of ["servicemonitors", "prometheusrules"]) {
      await installCrds(
        cluster,
        join(prometheus, `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`),
      );
    }
  });

  afterAll(() => cluster?.stop());

  it.each(variants)("$name: accepts each object, and each Pod under Pod Security restricted", async ({ values }) => {
    const rendered = await render(helm, { ...values, crds: { install: false } }, { namespace: NAMESPACE });
    const pods = rendered.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet").map(podOf);
    const applied = await kubectl(
      cluster,
      ["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"],
      { input: [...rendered, ...pods].map((manifest) => JSON.stringify(manifest)).join("\n---\n") },
    );
    expect(applied.trim().split("\n")).toHaveLength(rendered.length + pods.length);
  });

  it("accepts the CRDs", async () => {
    const crds = (await render(helm, {})).filter(({ kind }) => kind === "CustomResourceDefinition");
    const input = crds.map((crd) => JSON.stringify(crd)).join("\n---\n");
    // The installed ones come from crds/: equal ones do not conflict.
    await kubectl(cluster, ["apply", "--server-side", "--dry-run=server", "-f", "-"], { input });
    expect(crds).toHaveLength(13);
  });
});

const kindsOf = (rendered: readonly Rendered[]): readonly string[] => rendered.map(({ kind }) => kind);

/** @returns the Pod of a Deployment or StatefulSet */
function podOf({ metadata, spec }: Rendered): object {
  const { template } = z.object({ template: z.looseObject({ metadata: z.looseObject({}) }) }).parse(spec);
  const { name, namespace } = metadata;
  return { apiVersion: "v1", kind: "Pod", ...template, metadata: { ...template.metadata, name, namespace } };
}

const Scores = z.array(
  z.object({
    object_name: z.string(),
    checks: z.array(z.object({ check: z.object({ id: z.string() }), grade: z.number(), skipped: z.boolean() })),
  }),
);
/** kube-score's grade of a passed check. */
const PASSED = 10;

async function scored(manifests: string): Promise<readonly { readonly object: string; readonly check: string }[]> {
  const program = await findGoTool("kube-score");
  const args = ["score", "--output-format", "json", "--kubernetes-version", "v1.36", "-"];
  // It exits with 1 when it finds something.
  const { stdout } = await runToEnd(program, args, { input: manifests });
  return Scores.parse(JSON.parse(stdout)).flatMap(({ object_name: object, checks }) =>
    checks.flatMap(({ check, grade, skipped }) => (skipped || grade >= PASSED ? [] : [{ object, check: check.id }])),
  );
}
