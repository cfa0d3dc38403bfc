/**
 * [S1] The operator sends a secret value to its platform only. It runs at log level trace through a life with failures
 * whose texts quote the values; then all output that can be captured is searched.
 */
import { once } from "node:events";
import { readFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";

import { condition } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { findCanaries, formsOf, type Captured } from "../support/hostile/canaries.ts";
import {
  application,
  blueprint,
  connection,
  database,
  deploying,
  NEXT_COMMIT,
  resource,
  secret,
  tree,
} from "../support/kube/manifests.ts";
import { callsIn } from "../support/platform/calls.ts";
import { figure } from "../support/platform/figure.ts";
import { cli } from "../support/programs/cli.ts";
import { freePort } from "../support/programs/free-port.ts";
import { leavesOf } from "./generated/leaves.ts";
import { readSchemas } from "./generated/schema.ts";

const EVENTS = "events.events.k8s.io";
const jsonOf = (env: Env, ...what: readonly string[]): Promise<string> => env.kubectl(["get", ...what, "-o", "json"]);

/** @param pageUrl of the status page @returns everything that users can read while the operator runs */
async function shownBy(env: Env, pageUrl: string): Promise<Captured> {
  const { kubeconfigPath } = inject("controlPlane");
  const { metricsUrl, healthUrl } = env.operator;
  const text = async (url: string): Promise<string> => (await fetch(url)).text();
  const folder = await mkdtemp(join(tmpdir(), "report-"));
  const commands = ["tree -o json", "orphans -A -o yaml", "check", "export", `report -f ${folder}/report`];
  const said: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await cli([...command.split(" "), "--kubeconfig", kubeconfigPath, "-n", env.namespace]);
    said.push(stdout, stderr);
  }
  const files = await readdir(join(folder, "report"), { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const report = (await Promise.all(paths.map((path) => readFile(path, "utf8")))).join("\n");
  await rm(folder, { recursive: true });
  return {
    "custom resources": await jsonOf(env, "platform"),
    ConfigMaps: await jsonOf(env, "configmaps"),
    events: await jsonOf(env, EVENTS),
    "the status page": await text(`${pageUrl}/api/tree`),
    "/metrics": await text(`${metricsUrl}/metrics`),
    "/healthz": await text(`${healthUrl}/healthz`),
    "/readyz": await text(`${healthUrl}/readyz`),
    "the command line": said.join("\n"),
    "the report for support": report,
  };
}

/** @returns the kinds whose schema refers to Secrets, to read or to write them */
function kindsWithSecrets(): readonly string[] {
  const found = readSchemas().filter(({ spec }) => leavesOf(spec).some(({ path }) => /[sS]ecret\w*Ref/.test(path)));
  return found.map(({ kind }) => kind);
}

const Registered = z.object({ targetUrl: z.string(), settings: z.object({ target_secret: z.string() }) });
const OURS = { "app.kubernetes.io/managed-by": "platform-operator" };

/** A policy that refuses new Secrets of the operator in a namespace, with their content in its message. */
function refusingPolicy(namespace: string): object {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
  const isOurs = `!("labels" in object.metadata) || !("app.kubernetes.io/managed-by" in object.metadata.labels)`;
  const api = "admissionregistration.k8s.io/v1";
  const metadata = { name: namespace };
  const validations = [{ expression: isOurs, messageExpression: `"quoted: " + string(object.data.token)` }];
  const policy = { matchConstraints: { resourceRules: [rule] }, validations };
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

/** Each has characters that the encodings escape differently, where the field accepts them. */
const CANARIES = {
  token: 'c4n4ry-token-"\\+/=&?<>-a',
  "wrong token": 'c4n4ry-wrong-"\\+/=&?<>-b',
  "token for a host that is not allowed": 'c4n4ry-stranger-"\\+/=&?-c',
  "text in a delivery": 'c4n4ry-delivery-"\\+/=&?-d',
  "variable of an application": 'c4n4ry-variable-"\\+/=&?<>äß€-e',
  "secret of an application": 'c4n4ry-secret-"\\+/=&?<>äß€-f',
  "variable set's value": 'c4n4ry-set-"\\+/=&?<>äß€-g',
  "variable set's whole Secret": 'c4n4ry-whole-"\\+/=&?<>äß€-h',
  "sensitive managed config": 'c4n4ry-managed-"\\+/=&?<>-i',
  "input of a binding": 'c4n4ry-input-"\\+/=&?<>-j',
  "variable of a blueprint": 'c4n4ry-blueprint-"\\+/=&?<>äß€-k',
} as const;

const [port, pagePort, strangerPort] = [await freePort(), await freePort(), await freePort()];
const input = (key: string) => ({ valueFrom: { secretKeyRef: { name: "values", key } } });
const fromSecret = (name: string, key: string) => ({ name, ...input(key) });
const quoting = (text: string): string =>
  JSON.stringify({ status: 422, error: "Unprocessable Entity", message: `the value "${text}" of ${text} is refused` });

describe("[S1] secret values at log level trace", () => {
  const env = createEnv({
    surface: "full",
    args: [
      "--log-level=trace",
      `--webhook-bind-address=127.0.0.1:${port}`,
      `--webhook-url=http://127.0.0.1:${port}/deliveries`,
      `--status-page-bind-address=127.0.0.1:${pagePort}`,
    ],
    mayLog: /reconcile failed/,
  });
  const { auditLogPath } = inject("controlPlane");
  const strangers: string[] = [];
  const stranger = createServer((request, response) => {
    strangers.push(`${request.method ?? ""} ${request.url ?? ""} ${JSON.stringify(request.headers)}`);
    response.end();
  });

  afterAll(async () => {
    stranger.close();
    await env.kubectl(["delete", "validatingadmissionpolicy", env.namespace]);
  });

  /** Changes the connection as well, so that the operator reads its Secret at once. */
  const useToken = async (token: string, burst: number): Promise<void> => {
    await env.apply(secret("default", { token }));
    await env.patch("PlatformConnection", "default", { spec: { rateLimit: { burst } } });
  };
  const faultOccurred = async (fault: string): Promise<void> => {
    const met = () => callsIn(env.platform.journal()).map((call) => call.fault);
    await vi.waitFor(() => expect(met()).toContain(fault), { timeout: 20_000, interval: 50 });
  };

  it("are given to every kind that takes a secret", async () => {
    const { sim, organizationId, clusterIds } = env.platform;
    sim.auth.createToken({ name: "canary", organizationId, scopes: ["Admin"], value: CANARIES.token });
    const all = [
      secret("default", { token: CANARIES.token }),
      secret("whole", { WHOLE: CANARIES["variable set's whole Secret"] }),
      secret("values", {
        variable: CANARIES["variable of an application"],
        secret: CANARIES["secret of an application"],
        set: CANARIES["variable set's value"],
        managed: CANARIES["sensitive managed config"],
        input: CANARIES["input of a binding"],
        blueprint: CANARIES["variable of a blueprint"],
      }),
      connection(env, "default", { surface: "Full" }),
      resource("PlatformWebhook", "operator", { receiver: true }),
      ...tree(env, "shop"),
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
      blueprint("cache", "shop", { variables: [fromSecret("BLUE", "blueprint")] }),
    ];
    // PlatformCluster and PlatformDatabase, which write Secrets, are used below. The operators of all test files see a
    // ClusterPlatformConnection, so that test/integration/connections.test.ts searches for the token of one.
    const elsewhere = ["PlatformCluster", "PlatformDatabase", "ClusterPlatformConnection"];
    const used = new Set([...all.map(({ kind }) => kind), ...elsewhere]);
    expect(kindsWithSecrets().filter((kind) => !used.has(kind))).toEqual([]);
    await env.apply(...all);
    await env.waitFor("PlatformWebhook", "operator", { status: "True" });
    for (const [kind, name] of Object.entries({ PlatformVariableSet: "common", PlatformBinding: "essentials" }))
      await env.waitFor(kind, name, (object) => condition(object, "Ready") !== undefined);
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    await env.waitFor("PlatformBlueprint", "cache", { status: "True" });
    const { variables } = env.platform.world();
    const sent = new Set([...variables.values()].map(({ value }) => value));
    for (const name of ["secret of an application", "variable set's whole Secret", "variable of a blueprint"] as const)
      expect(sent).toContain(CANARIES[name]);
  });

  it("are quoted by errors and by incomplete and invalid answers of the platform", async () => {
    const { faults } = env.platform.sim;
    await useToken(CANARIES["wrong token"], 999);
    await env.waitFor("PlatformConnection", "default", { reason: "CredentialsInvalid" });
    const { token, "secret of an application": secretVariable } = CANARIES;
    const unauthorized = { is: "status", status: 401, body: quoting(token) } as const;
    faults.add({ name: "quoted 401", match: { method: "GET" }, answer: unauthorized });
    await useToken(token, 998);
    await faultOccurred("quoted 401");
    await useToken(token, 997);
    await env.waitFor("PlatformConnection", "default", { status: "True" }, 75_000);
    const bodies = {
      422: quoting(secretVariable),
      500: `<p>${secretVariable} ${token}</p>`,
      200: `{"results":[{"value":"${secretVariable}", ${token}`,
    };
    for (const [status, body] of Object.entries(bodies)) {
      const name = `quoted ${status}`;
      faults.add({ name, match: { path: "/application/*" }, answer: { is: "status", status: Number(status), body } });
      await env.patch("PlatformApplication", "web", { spec: { cpu: 1_000 + Number(status) } });
      await faultOccurred(name);
    }
    const [registered] = env.platform.world().webhooks.values();
    const { targetUrl, settings } = Registered.parse(registered);
    const quoted = quoting(`${targetUrl} ${settings.target_secret}`);
    faults.add({
      name: "quoted receiver",
      match: { operation: "updateWebhook" },
      answer: { is: "status", status: 422, body: quoted },
    });
    await env.patch("PlatformWebhook", "operator", { spec: { enabled: false } });
    await faultOccurred("quoted receiver");
    const refused = await env.waitFor("PlatformWebhook", "operator", { status: "False" });
    expect(condition(refused, "Ready")?.message).toContain("is refused");
    await env.patch("PlatformWebhook", "operator", { spec: { enabled: true } });
    await env.waitFor("PlatformWebhook", "operator", { status: "True" });
    await env.patch("PlatformApplication", "web", { spec: { logs: { onFailure: 20 } } });
    const web = [...env.platform.world().services.values()].find(({ name }) => name === "web");
    web?.failNext.push("build");
    const logged = [secretVariable, token, CANARIES["variable set's value"], "the end"].map((text) => `log ${text}`);
    web?.log.push(...logged.map((message) => ({ id: web.id, createdAt: "2026-11-21T09:00:00.000Z", message })));
    await env.patch("PlatformApplication", "web", deploying(`bad${NEXT_COMMIT.slice(3)}`));
    const { status: failed } = await env.waitFor("PlatformApplication", "web", { reason: "BuildFailed" });
    expect(JSON.stringify(failed)).toContain("log the end");
    await env.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    const { status } = await env.waitFor("PlatformApplication", "web", { status: "True" });
    expect(status).toMatchObject({ lastDeployment: { gitCommitId: NEXT_COMMIT } });
  }, 90_000);

  it("are quoted by the API server when a policy refuses a write of the operator", async () => {
    await env.kubectl(["apply", "-f", "-"], { input: JSON.stringify(refusingPolicy(env.namespace)) });
    const labelled = { ...secret("probe", { token: "probe" }), metadata: { name: "probe", labels: OURS } };
    const probe = () => env.kubectl(["create", "--dry-run=server", "-f", "-"], { input: JSON.stringify(labelled) });
    await vi.waitFor(() => expect(probe()).rejects.toThrow("quoted"), { timeout: 20_000, interval: 200 });
    await grantSecretOutputs(env);
    await env.apply(
      resource("PlatformCluster", "edge", {
        externalId: env.platform.clusterIds[1] ?? "",
        writeTokenSecretToRef: { name: "edge-token" },
      }),
      database("store", "shop", { writeConnectionSecretToRef: { name: "store-connection" } }),
    );
    await vi.waitFor(() => {
      expect(/"path":"[^"]*\/secrets","code":"422"/.test(env.operator.output())).toBe(true);
    }, 20_000);
    await env.waitFor("PlatformDatabase", "store", { reason: "PermissionDenied" }, 40_000);
    await env.kubectl(["delete", "validatingadmissionpolicybinding", env.namespace]);
    await env.waitFor("PlatformCluster", "edge", { status: "True" }, 40_000);
    await env.waitFor("PlatformDatabase", "store", { status: "True" }, 40_000);
  });

  it("are not sent to a host that is not allowed, and arrive in deliveries", async () => {
    await once(stranger.listen(strangerPort, "127.0.0.2"), "listening");
    const [name, baseUrl] = ["stranger", `http://127.0.0.2:${strangerPort}`];
    const token = secret(name, { token: CANARIES["token for a host that is not allowed"] });
    await env.apply(token, connection(env, name, { baseUrl }));
    await env.waitFor("PlatformConnection", name, { status: "False" });
    const key = CANARIES["text in a delivery"];
    for (const more of ["", `/${encodeURIComponent(key)}`, `?key=${encodeURIComponent(key)}`]) {
      const body = JSON.stringify({ event_type: key });
      const answer = await fetch(`http://127.0.0.1:${port}/deliveries${more}`, { method: "POST", body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(strangers).toEqual([]);
  });

  it("appear in no output of the operator and its tools, but in Secrets and in requests to the platform", async ({
    task,
  }) => {
    const { operator, platform } = env;
    const secretOf = async (name: string, key: string): Promise<string> => {
      const text = await env.kubectl(["get", "secret", name, "-o", `jsonpath={.data.${key}}`]);
      return Buffer.from(text, "base64").toString();
    };
    const [webhook] = platform.world().webhooks.values();
    const { targetUrl, settings } = Registered.parse(webhook);
    const canaries = {
      ...CANARIES,
      // Of the platform's webhook, made with the key of the installation.
      "receiver's path": targetUrl.split("/").at(-1) ?? "",
      "receiver's secret": settings.target_secret,
      "token of a cluster": await secretOf("edge-token", "token"),
      "password of a database": await secretOf("store-connection", "password"),
    };
    const captured: Record<string, string> = { ...(await shownBy(env, `http://127.0.0.1:${pagePort}`)) };
    for (const kind of ["PlatformVariableSet", "PlatformCluster", "PlatformDatabase", "PlatformApplication"]) {
      await env.delete(...(await env.list(kind)));
    }
    captured["events after the deletion"] = await jsonOf(env, EVENTS);
    captured["events of the operator's namespace"] = await jsonOf(env, EVENTS, `--namespace=${env.operatorNamespace}`);
    const calls = callsIn(platform.journal());
    captured["paths that the platform saw"] = calls.map(({ path }) => path).join("\n");
    await env.stop();
    captured["standard output and error"] = operator.output();
    const audit = (await readFile(auditLogPath, "utf8")).split("\n");
    captured["audit log outside of Secrets"] = audit
      .filter((line) => !line.includes('"resource":"secrets"'))
      .join("\n");

    expect(captured["standard output and error"]).toContain('"level":"trace"');
    for (const [where, text] of Object.entries(captured)) expect(text.length, where).toBeGreaterThan(1);
    // The search itself finds each canary in each form.
    let spellings = 0;
    for (const [name, value] of Object.entries(canaries)) {
      for (const [form, text] of Object.entries(formsOf(value))) {
        expect(findCanaries({ all: `x${text}x` }, { [name]: value })).toContain(`all: ${name}, ${form}`);
        spellings += 1;
      }
    }
    expect(findCanaries(captured, canaries)).toEqual([]);
    const bytes = Object.values(captured).reduce((sum, text) => sum + text.length, 0);
    const searched = `${Math.round(bytes / 1_000)} kB of ${Object.keys(captured).length} outputs at level trace`;
    figure(task, `${Object.keys(canaries).length} secrets in ${spellings} spellings, 0 found in ${searched}`);
  }, 120_000);
});
