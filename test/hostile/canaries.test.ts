/**
 * [S1] No secret value leaves the operator but to the platform that it is for: it runs at level trace through a life
 * with failures whose texts quote the values, and then everything that can be captured is searched.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, inject, it, vi } from "vitest";

import { type Captured, findCanaries, formsOf } from "../support/canaries.ts";
import { cli } from "../support/cli.ts";
import { condition, type Manifest } from "../support/cluster.ts";
import { startCollector } from "../support/collector.ts";
import { figure } from "../support/figure.ts";
import { freePort } from "../support/free-port.ts";
import { application, connection, deploying, NEXT_COMMIT, resource, secret, tree } from "../support/manifests.ts";
import { grantSecretOutputs } from "../support/stage-rights.ts";
import { createStage } from "../support/stage.ts";

/** Each with characters that every encoding spells differently, where the field takes them. */
const CANARIES = {
  token: 'c4n4ry-token-"\\+/=&?<>-a',
  "wrong token": 'c4n4ry-wrong-"\\+/=&?<>-b',
  "token for a host that is not allowed": 'c4n4ry-stranger-"\\+/=&?-c',
  "receiver's key": 'c4n4ry-receiver-"\\+/=&?-long-enough-d',
  "variable of an application": 'c4n4ry-variable-"\\+/=&?<>äß€-e',
  "secret of an application": 'c4n4ry-secret-"\\+/=&?<>äß€-f',
  "variable set's value": 'c4n4ry-set-"\\+/=&?<>äß€-g',
  "variable set's whole Secret": 'c4n4ry-whole-"\\+/=&?<>äß€-h',
  "sensitive managed config": 'c4n4ry-managed-"\\+/=&?<>-i',
  "input of a binding": 'c4n4ry-input-"\\+/=&?<>-j',
} as const;

const port = await freePort();
const collector = await startCollector();
const fromSecret = (name: string, key: string) => ({ name, valueFrom: { secretKeyRef: { name: "values", key } } });
const input = (key: string) => ({ valueFrom: { secretKeyRef: { name: "values", key } } });
const quoting = (text: string): string =>
  JSON.stringify({ status: 422, error: "Unprocessable Entity", message: `the value "${text}" of ${text} is refused` });

describe("[S1] canaries", () => {
  const stage = createStage({
    surface: "full",
    args: ["--log-level=trace", `--webhook-bind-address=127.0.0.1:${port}`, `--otlp-endpoint=${collector.url}`],
    mayLog: /reconcile failed/,
  });
  const { kubeconfigPath, auditLogPath } = inject("controlPlane");
  const strangers: string[] = [];
  const stranger = createServer((request, response) => {
    strangers.push(`${request.method ?? ""} ${request.url ?? ""} ${JSON.stringify(request.headers)}`);
    response.end();
  });

  afterAll(async () => {
    stranger.close();
    await collector.stop();
    await stage.kubectl(["delete", "validatingadmissionpolicy", stage.namespace]);
  });

  const values = (): Manifest =>
    secret("values", {
      variable: CANARIES["variable of an application"],
      secret: CANARIES["secret of an application"],
      set: CANARIES["variable set's value"],
      managed: CANARIES["sensitive managed config"],
      input: CANARIES["input of a binding"],
    });
  /** A change of the connection has its Secret read at once. */
  const useToken = async (token: string, burst: number): Promise<void> => {
    await stage.apply(secret("default", { token }));
    await stage.patch("PlatformConnection", "default", { spec: { rateLimit: { burst } } });
  };
  const met = async (fault: string): Promise<void> => {
    await vi.waitFor(
      () => expect(stage.platform.journal().some((entry) => entry.is === "call" && entry.fault === fault)).toBe(true),
      { timeout: 20_000, interval: 50 },
    );
  };

  it("are used by every kind that takes a secret", async () => {
    const { sim, organizationId, clusterIds } = stage.platform;
    sim.auth.createToken({ name: "canary", organizationId, scopes: ["Admin"], value: CANARIES.token });
    const webhook = { receiverUrl: `http://127.0.0.1:${port}/deliveries`, secretRef: { name: "receiver" } };
    await stage.apply(
      secret("default", { token: CANARIES.token }),
      secret("receiver", { token: CANARIES["receiver's key"] }),
      secret("whole", { WHOLE: CANARIES["variable set's whole Secret"] }),
      values(),
      connection(stage, "default", { surface: "Full", webhook }),
      ...tree(stage, "shop"),
      application("web", "shop", {
        variables: [{ ...fromSecret("PLAIN", "variable"), secret: false }, fromSecret("HUSH", "secret")],
      }),
      resource("PlatformVariableSet", "common", {
        targets: [{ applicationRef: { name: "shop" } }],
        variables: [fromSecret("SET", "set")],
        variablesFrom: [{ secretRef: { name: "whole" } }],
        lifecycle: { deletionPolicy: "Delete" },
      }),
      resource("PlatformBinding", "essentials", {
        clusterRef: { externalId: clusterIds[0] ?? "" },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        managedConfig: { ingress: { domain: { value: "shop.example.com" }, dnsApiToken: input("managed") } },
        customerProvidedInputs: { ingress: { dnsApiToken: input("input") } },
      }),
    );
    for (const kind of ["PlatformVariableSet", "PlatformBinding"]) {
      const name = kind === "PlatformBinding" ? "essentials" : "common";
      await stage.waitFor(kind, name, (object) => condition(object, "Ready") !== undefined);
    }
    await stage.waitFor("PlatformApplication", "web", { status: "True" });
    const { variables } = stage.platform.world();
    const sent = new Set([...variables.values()].map(({ value }) => value));
    expect(sent).toContain(CANARIES["secret of an application"]);
    expect(sent).toContain(CANARIES["variable set's whole Secret"]);
  });

  it("are quoted by answers of the platform that refuse, break off and make no sense", async () => {
    const { faults } = stage.platform.sim;
    await useToken(CANARIES["wrong token"], 999);
    await stage.waitFor("PlatformConnection", "default", { reason: "CredentialsInvalid" });
    const { token, "secret of an application": hush } = CANARIES;
    faults.add({
      name: "quoted 401",
      match: { method: "GET" },
      answer: { is: "status", status: 401, body: quoting(token) },
    });
    await useToken(token, 998);
    await met("quoted 401");
    await useToken(token, 997);
    await stage.waitFor("PlatformConnection", "default", { status: "True" }, 75_000);
    const bodies = {
      422: quoting(hush),
      500: `<p>${hush} ${token}</p>`,
      200: `{"results":[{"value":"${hush}", ${token}`,
    };
    for (const [status, body] of Object.entries(bodies)) {
      const name = `quoted ${status}`;
      faults.add({ name, match: { path: "/application/*" }, answer: { is: "status", status: Number(status), body } });
      await stage.patch("PlatformApplication", "web", { spec: { cpu: 300 + Number(status) } });
      await met(name);
    }
    await stage.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    const { status } = await stage.waitFor("PlatformApplication", "web", { status: "True" });
    expect(status).toMatchObject({ lastDeployment: { gitCommitId: NEXT_COMMIT } });
  }, 90_000);

  it("are quoted by the API server, where a policy refuses what the operator writes", async () => {
    await stage.kubectl(["apply", "-f", "-"], { input: JSON.stringify(refusingPolicy(stage.namespace)) });
    const labelled = { ...secret("probe", { token: "probe" }), metadata: { name: "probe", labels: OURS } };
    await vi.waitFor(
      () =>
        expect(
          stage.kubectl(["create", "--dry-run=server", "-f", "-"], { input: JSON.stringify(labelled) }),
        ).rejects.toThrow("quoted"),
      { timeout: 20_000, interval: 200 },
    );
    await grantSecretOutputs(stage);
    await stage.apply(
      resource("PlatformCluster", "edge", {
        externalId: stage.platform.clusterIds[1] ?? "",
        writeTokenSecretToRef: { name: "edge-token" },
      }),
    );
    await vi.waitFor(() => {
      expect(/"path":"[^"]*\/secrets","code":"422"/.test(stage.operator.output())).toBe(true);
    }, 20_000);
    await stage.kubectl(["delete", "validatingadmissionpolicybinding", stage.namespace]);
    await stage.waitFor("PlatformCluster", "edge", { status: "True" }, 40_000);
  });

  it("go to no host that is not allowed, and come in with deliveries", async () => {
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.2", resolve));
    const address = stranger.address();
    const baseUrl = `http://127.0.0.2:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
    const name = "stranger";
    await stage.apply(
      secret(name, { token: CANARIES["token for a host that is not allowed"] }),
      connection(stage, name, { baseUrl }),
    );
    await stage.waitFor("PlatformConnection", name, { status: "False" });
    const key = CANARIES["receiver's key"];
    for (const path of [
      "/deliveries",
      `/deliveries/${encodeURIComponent(key)}`,
      `/deliveries?key=${encodeURIComponent(key)}`,
    ]) {
      const body = JSON.stringify({ event_type: key });
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(strangers).toEqual([]);
  });

  it("are nowhere but in Secrets and in what the platform is sent", async ({ task }) => {
    const { operator, platform } = stage;
    const clusterToken = await stage.kubectl(["get", "secret", "edge-token", "-o", "jsonpath={.data.token}"]);
    const canaries = { ...CANARIES, "token of a cluster": Buffer.from(clusterToken, "base64").toString() };
    const captured: Record<string, string> = { ...(await shown()) };
    for (const kind of ["PlatformVariableSet", "PlatformCluster", "PlatformApplication"]) {
      for (const { metadata } of await stage.list(kind)) {
        await stage.remove(kind, metadata.name);
        await stage.waitGone(kind, metadata.name);
      }
    }
    captured["events after the end"] = await stage.kubectl(["get", "events.events.k8s.io", "-o", "json"]);
    captured["paths that the platform saw"] = platform
      .journal()
      .map((entry) => (entry.is === "call" ? entry.path : ""))
      .join("\n");
    await stage.stop();
    captured["standard output and error"] = operator.output();
    captured["traces"] = JSON.stringify(collector.arrived);
    const audit = (await readFile(auditLogPath, "utf8")).split("\n");
    captured["audit log outside of Secrets"] = audit
      .filter((line) => !line.includes('"resource":"secrets"'))
      .join("\n");

    expect(captured["standard output and error"]).toContain('"level":"trace"');
    expect(new Set(collector.spans().map(({ name }) => name))).toContain("importVariables");
    for (const [where, text] of Object.entries(captured)) expect(text.length, where).toBeGreaterThan(1);
    // The search finds what is there: each canary in each form, in each place.
    const planted = Object.entries(canaries).flatMap(([name, value]) =>
      Object.entries(formsOf(value)).map(([form, text]) =>
        findCanaries({ all: `x${text}x` }, { [name]: value }).includes(`all: ${name}, ${form}`),
      ),
    );
    expect(planted).not.toContain(false);
    expect(findCanaries(captured, canaries)).toEqual([]);
    const bytes = Object.values(captured).reduce((sum, text) => sum + text.length, 0);
    figure(
      task,
      `${Object.keys(canaries).length} secrets in ${planted.length} spellings, 0 found in ${Math.round(bytes / 1_000)} kB of ${Object.keys(captured).length} outputs at level trace`,
    );
  }, 120_000);

  /** Everything that somebody can look at while it runs. */
  async function shown(): Promise<Captured> {
    const { metricsUrl, healthUrl } = stage.operator;
    const text = async (url: string): Promise<string> => (await fetch(url)).text();
    const folder = await mkdtemp(join(tmpdir(), "report-"));
    const commands = [
      ["tree", "-o", "json"],
      ["status"],
      ["get", "-o", "yaml"],
      ["events"],
      ["check"],
      ["export"],
      ["report", "-f", join(folder, "report")],
    ];
    const said: string[] = [];
    for (const command of commands) {
      const { stdout, stderr } = await cli([...command, "--kubeconfig", kubeconfigPath, "-n", stage.namespace]);
      said.push(stdout, stderr);
    }
    const files = await readdir(join(folder, "report"), { recursive: true, withFileTypes: true });
    const contents = files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), "utf8"));
    const report = (await Promise.all(contents)).join("\n");
    await rm(folder, { recursive: true });
    return {
      "custom resources": await stage.kubectl(["get", "platform", "-o", "json"]),
      ConfigMaps: await stage.kubectl(["get", "configmaps", "-o", "json"]),
      events: await stage.kubectl(["get", "events.events.k8s.io", "-o", "json"]),
      "/metrics": await text(`${metricsUrl}/metrics`),
      "/healthz": await text(`${healthUrl}/healthz`),
      "/readyz": await text(`${healthUrl}/readyz`),
      "the command line": said.join("\n"),
      "the report for support": report,
    };
  }
});

const OURS = { "app.kubernetes.io/managed-by": "platform-operator" };

/** Refuses new Secrets of the operator in a namespace, with their content in its words. */
function refusingPolicy(namespace: string): object {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
  const isOurs = `!("labels" in object.metadata) || !("app.kubernetes.io/managed-by" in object.metadata.labels)`;
  const api = "admissionregistration.k8s.io/v1";
  const metadata = { name: namespace };
  const policy = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: isOurs, messageExpression: `"quoted: " + string(object.data.token)` }],
  };
  const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
  const binding = { policyName: namespace, validationActions: ["Deny"], matchResources };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: api, kind: "ValidatingAdmissionPolicy", metadata, spec: policy },
      { apiVersion: api, kind: "ValidatingAdmissionPolicyBinding", metadata, spec: binding },
    ],
  };
}
