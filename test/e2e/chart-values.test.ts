/** Single values of the chart: what is refused, and what the output has to say. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { runToEnd } from "../support/programs/programs.ts";
import { findDebianProgram } from "../tools/debian.ts";
import { newFolder } from "./folder.ts";
import { CHART, openHelm, type Overrides, render, template } from "./helm.ts";
import { VARIANTS } from "./variants.ts";

const helm = await openHelm();
const prometheusRule = { enabled: true, renderMode: "alwaysRender" };

type Refused = readonly [title: string, values: Overrides, ...messages: readonly RegExp[]];
/** Values of which unit/chart-values.test.ts does not compare the schema with the operator. */
const REFUSED: readonly Refused[] = [
  [
    "unknown values, and each value of a wrong type, form or size",
    {
      replcias: 2,
      replicas: "two",
      image: { version: "1", digest: "latest" },
      webhook: { port: 80 },
      // A rule with an empty list of peers or ports allows all of them.
      networkPolicy: { dnsPorts: [], apiServerCidrs: [], apiServerPorts: [], platformCidrs: [], platformPorts: [] },
    },
    /additional properties 'replcias' not allowed/,
    /at '\/replicas': got string, want integer/,
    /at '\/image': additional properties 'version' not allowed/,
    /at '\/image\/digest': 'latest' does not match pattern/,
    /at '\/webhook\/port': minimum: got 80, want 1,?024/,
    ...["dnsPorts", "apiServerCidrs", "apiServerPorts", "platformCidrs", "platformPorts"].map(
      (name) => new RegExp(`at '/networkPolicy/${name}': minItems: got 0, want 1`),
    ),
  ],
  ["too many pods", { replicas: 10 }, /at '\/replicas': maximum: got 10, want 9/],
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

describe("the chart", () => {
  it.for(REFUSED)("refuses %s", async ([, values, ...messages]) => {
    const refusal = await template(helm, values).then(() => "accepted", String);
    for (const message of messages) expect(refusal).toMatch(message);
  });

  it("has no finding of helm lint --strict", async () => {
    const output = await helm.run(["lint", CHART, "--strict"]);
    expect(output.match(/^\[\w+\].*/gm) ?? []).toEqual([]);
    expect(output).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  it.each([
    ["http://proxy.example.com:3128", 3128],
    ["http://[2001:db8::1]:8888", 8888],
    ["http://proxy.example.com", 80],
    ["https://proxy.example.com", 443],
  ])("allows the way to a proxy through its network policy: to %s", async (platformProxy, port) => {
    const given = { operator: { platformProxy }, networkPolicy: { enabled: true } };
    const policies = (await render(helm, given)).filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies).toMatchObject([{ spec: { egress: expect.arrayContaining([{ ports: [{ port }] }]) } }]);
  });

  const [host, ingress] = ["hooks.example.com", { enabled: true, host: "hooks.example.com" }];
  it.each<[string, Overrides, string | undefined]>([
    ["the host of the Ingress", { enabled: true, ingress }, `https://${host}`],
    ["its own value", { enabled: true, ingress, url: `https://${host}/us` }, `https://${host}/us`],
    ["nothing without an Ingress", { enabled: true }, undefined],
    ["nothing without a receiver", { ingress, url: `https://${host}/us` }, undefined],
  ])("takes the URL of the receiver from %s", async (_title, webhook, url) => {
    const text = await template(helm, { webhook });
    expect(/--webhook-url=(\S+)/.exec(text)?.[1]).toBe(url);
  });

  it("renders the kinds of Prometheus's operator only where the cluster has them, and if there are metrics", async () => {
    const kinds = ["ServiceMonitor", "PrometheusRule"];
    const args = ["--api-versions", kinds.map((kind) => `monitoring.coreos.com/v1/${kind}`).join(",")];
    const metrics = { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } };
    const shown = async (given: Overrides, options = {}): Promise<readonly string[]> =>
      (await render(helm, given, options)).map(({ kind }) => kind).filter((kind) => kinds.includes(kind));
    expect(await shown({ metrics })).toEqual([]);
    expect(new Set(await shown({ metrics }, { args }))).toEqual(new Set(kinds));
    // They would miss all.
    expect(await shown({ metrics: { ...metrics, enabled: false } }, { args })).toEqual([]);
  });

  it("alerts for the absence of its own job if its ServiceMonitor defines the job, and else of any job", async () => {
    const own = await template(helm, { metrics: { prometheusRule, serviceMonitor: { enabled: true } } });
    const labels = 'namespace="platform-operator", job="platform-operator-metrics"';
    expect(own).toContain(`absent(platform_operator_build_info{${labels}})`);
    const any = await template(helm, { metrics: { prometheusRule } });
    expect(any).toContain("absent(platform_operator_build_info)");
    // Of the chart's version.
    expect(any).toMatch(/runbook_url: https:\S+\/blob\/v\d+\.\d+\.\d+\/docs\/runbooks\/PlatformOperatorAbsent\.md$/m);
  });

  it("lets the pods of the DNS be reached at the port of OpenShift", async () => {
    const policies = (await render(helm, { networkPolicy: { enabled: true } })).filter(
      ({ kind }) => kind === "NetworkPolicy",
    );
    const ports = [53, 5353].flatMap((port) => ["UDP", "TCP"].map((protocol) => ({ port, protocol })));
    expect(policies).toMatchObject([{ spec: { egress: expect.arrayContaining([{ ports }]) } }]);
  });

  it("gives the pod of helm test the labels and annotations of the pods, without a sidecar that keeps it from ending", async () => {
    const given = { podLabels: { team: "platform" }, podAnnotations: { "example.com/log": "json" } };
    const pod = (await render(helm, given)).find(({ kind }) => kind === "Pod");
    expect(pod?.metadata.labels).toMatchObject({ team: "platform", "sidecar.istio.io/inject": "false" });
    expect(pod?.metadata.annotations).toMatchObject({
      "example.com/log": "json",
      "helm.sh/hook": "test",
      "sidecar.istio.io/inject": "false",
    });
  });

  it.each([
    { aggregationLabels: [], firing: 1 },
    { aggregationLabels: ["cluster"], firing: 0 },
  ])(
    "tells apart one leader in each of two clusters with the labels $aggregationLabels: $firing alerts",
    async ({ aggregationLabels, firing }) => {
      const rendered = await render(helm, { metrics: { prometheusRule: { ...prometheusRule, aggregationLabels } } });
      const rules = rendered.find(({ kind }) => kind === "PrometheusRule")?.["spec"];
      const dir = await newFolder("clusters");
      await writeFile(join(dir, "rules.yaml"), stringify(rules));
      const leader = (cluster: string) => ({
        series: `leader_election_master_status{name="platform-operator-leader-election", namespace="ops", job="operator", cluster="${cluster}"}`,
        values: "1x20",
      });
      const labels =
        'ALERTS{alertname="PlatformOperatorNotOneLeader", alertstate="firing", job="operator", namespace="ops", severity="critical"}';
      const tests = {
        rule_files: ["rules.yaml"],
        evaluation_interval: "1m",
        tests: [
          {
            interval: "1m",
            input_series: [leader("one"), leader("two")],
            promql_expr_test: [
              {
                eval_time: "15m",
                expr: 'ALERTS{alertname="PlatformOperatorNotOneLeader", alertstate="firing"}',
                exp_samples: Array.from({ length: firing }, () => ({ labels, value: 1 })),
              },
            ],
          },
        ],
      };
      await writeFile(join(dir, "tests.yaml"), stringify(tests));
      const { stdout, stderr } = await runToEnd(await findDebianProgram("promtool"), [
        "test",
        "rules",
        join(dir, "tests.yaml"),
      ]);
      expect(stdout + stderr).toMatch(/SUCCESS/);
    },
  );

  it("replaces pods by the strategy of the values, without settings of another strategy", async () => {
    const deployment = (await render(helm, { strategy: { type: "Recreate" } })).find(
      ({ kind }) => kind === "Deployment",
    );
    expect(deployment?.["spec"]).toHaveProperty("strategy", { type: "Recreate" });
  });

  it("renders no object twice for the two releases in docs/scaling.md", async () => {
    const of = async (release: string, watchNamespaces: readonly string[]): Promise<readonly string[]> =>
      (await render(helm, { watchNamespaces }, { release, namespace: release })).map(
        ({ kind, metadata: { name, namespace = "" } }) => `${kind} ${namespace}/${name}`,
      );
    const first = await of("platform-operator-a", ["shop", "warehouse"]);
    const second = await of("platform-operator-b", ["payments"]);
    expect(first).toContain("Role warehouse/platform-operator-a-objects");
    expect(second).toContain("Role payments/platform-operator-b-objects");
    expect(first.filter((object) => second.includes(object))).toEqual([]);
  });

  it("keeps names within their limits for a long release name", async () => {
    const release = `a${"b".repeat(51)}c`;
    const values = { ...VARIANTS["the receiver behind an ingress"], watchNamespaces: ["shop"] };
    const most = new Map(Object.entries({ Service: 63, Deployment: 63, Pod: 63 }));
    for (const { kind, metadata } of await render(helm, values, { release })) {
      expect(metadata.name.length, `${kind} ${metadata.name}`).toBeLessThanOrEqual(most.get(kind) ?? 253);
      for (const label of Object.values(metadata.labels ?? {})) expect(label.length).toBeLessThanOrEqual(63);
    }
  });
});
