/** Hostile specs, Secrets, catalogs and answers: the operator reports each, and none stops other objects. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";

import { INTENT } from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { expectSettled, idOf } from "../support/env/settling.ts";
import {
  application,
  blueprint,
  connection,
  defaults,
  deploying,
  NEXT_COMMIT,
  project,
  resource,
  secret,
  tree,
} from "../support/kube/manifests.ts";
import { startScriptedServer } from "../support/kube/scripted-server.ts";
import { figure } from "../support/platform/figure.ts";

const ODD = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const VALUE = 'c4n4ry-"value"-ä\\/+?&1';
const EventNote = z.object({ note: z.string(), regarding: z.object({ name: z.string() }) });

describe("the operator, given hostile input,", () => {
  const env = createEnv({ surface: "full" });

  beforeAll(async () => {
    await env.apply(...defaults(env), ...tree(env, "good"));
    await expectSettled(env, "good");
  });

  /** Answers every call of an operation so, until the fault of that name is cleared. */
  const always = (name: string, operation: string, status: number, body: unknown): void =>
    void env.platform.sim.faults.add({
      name,
      match: { operation },
      count: null,
      answer: { is: "status", status, body },
    });
  const metrics = async (): Promise<string> => (await fetch(`${env.operator.metricsUrl}/metrics`)).text();
  /** All output of the operator: statuses, events, the log and metrics. */
  const output = async (): Promise<string> => {
    const objects = await env.kubectl(["get", "platform,events", "-o", "json"]);
    return `${objects}\n${JSON.stringify(env.operator.logs())}\n${await metrics()}`;
  };
  const notesOf = async (name: string): Promise<readonly string[]> =>
    (await env.list("Event"))
      .map((event) => EventNote.parse(event))
      .flatMap(({ note, regarding }) => (regarding.name === name ? [note] : []));

  describe("[E2] that is a token with characters which no header may contain", () => {
    const BAD: Readonly<Record<string, string>> = {
      ...{ crlf: "tok3n-value\r\nX-Evil: 1", lf: "tok3n-value\nx", "two-newlines": "tok3n-value\n\n" },
      ...{ nul: "tok3n-value\u0000", del: "tok3n-value\u007f", blank: "tok3n value" },
      ...{ umlaut: "tök3n-value", emoji: "tok3n-value-😀" },
    };

    it("names the Secret without its value, and sends no request", async ({ task }) => {
      const server = await startScriptedServer();
      for (const [name, token] of Object.entries(BAD)) {
        await env.apply(secret(name, { token }), connection(env, name, { baseUrl: server.url }));
      }
      for (const name of Object.keys(BAD)) {
        const says = name === "nul" ? "that is not UTF-8 text" : `Secret "${name}" key "token"`;
        const reason = name === "nul" ? "CredentialsMissing" : "CredentialsInvalid";
        await env.stalled("PlatformConnection", name, reason, says);
      }
      expect(server.arrived).toEqual([]);
      expect(await output()).not.toMatch(/t[oö]k3n/);
      await server.stop();
      figure(task, "0 requests, 0 values shown", Object.keys(BAD).length);
    });

    it("accepts a CRLF at the end of the token, and cuts it off", async () => {
      const token = `${env.platform.tokens.admin}\r\n`;
      const ready = await env.ready(secret("crlf-at-end", { token }), connection(env, "crlf-at-end"));
      expect(condition(ready, "Ready")?.reason).toBe("Available");
    });
  });

  it("[E3] treats keys that name members of prototypes as ordinary keys in every map of a spec", async ({ task }) => {
    const keys = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"];
    const mapOf = (value: unknown): JsonObject => Object.fromEntries(keys.map((key) => [key, value])) as JsonObject;
    const variables = keys.map((name) => ({ name, value: "polluted" }));
    const annotations = { constructor: "polluted", prototype: "polluted" };
    const app = application("proto", "good", { variables });
    await env.apply(
      { ...app, metadata: { ...app.metadata, annotations, labels: annotations } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "proto" }, data: mapOf("polluted") },
      resource("PlatformVariableSet", "proto", {
        targets: [{ applicationRef: { name: "good" } }],
        variablesFrom: [{ configMapRef: { name: "proto" } }],
      }),
      blueprint("proto", "good", { specOverrides: { ...mapOf({ polluted: true }), cpu: 100 } }),
      resource("PlatformBinding", "proto", {
        clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        layerSelections: mapOf(true),
        managedConfig: { ingress: { domain: { value: "a.example.com" } }, ...mapOf(mapOf({ value: "polluted" })) },
        customerProvidedInputs: mapOf(mapOf({ value: "polluted" })),
      }),
    );
    const variableNames = async (name: string) => {
      const id = idOf(await env.waitFor("PlatformApplication", name, { status: "True" }));
      return [...env.platform.world().variables.values()].flatMap((one) => (one.parentId === id ? [one.key] : []));
    };
    expect(await variableNames("proto")).toEqual(expect.arrayContaining(keys));
    await env.waitFor("PlatformVariableSet", "proto", { status: "True" });
    expect(await variableNames("good")).toEqual(expect.arrayContaining(keys));
    const says = /\[constructor\] is no component.*\[constructor\] is no layer/;
    await env.stalled("PlatformBinding", "proto", "InvalidSpec", says);
    const refused = await env.waitFor("PlatformBlueprint", "proto", { type: "Stalled", status: "True" });
    expect(condition(refused, "Ready")?.message).toContain("constructor");
    await expectOtherServed("project polluted");
    figure(task, "each key of a prototype sent or refused by name, and later objects served", keys.length * 6);
  });

  it("[E5] refuses values that are nested too deeply, and serves other objects", async () => {
    // With deeper values the API server takes seconds for a patch; other tests cover stack overflows.
    const deep = JSON.parse(`${'{"a-name-of-some-letters":'.repeat(1_500)}1${"}".repeat(1_500)}`) as JsonObject;
    const odd = project("deep");
    const [brackets, annotations] = ["[".repeat(100_000), "]".repeat(100_000)];
    await env.apply({ ...odd, metadata: { ...odd.metadata, annotations: { [INTENT]: brackets + annotations } } });
    await env.apply(blueprint("deep", "good", { specOverrides: deep }));
    await env.stalled("PlatformBlueprint", "deep", "InvalidSpec", "characters of JSON");
    const claimed = await env.waitFor("PlatformProject", "deep", { type: "Stalled", status: "True" });
    expect(condition(claimed, "Ready")?.reason).not.toBe("InternalError");
    await expectOtherServed("deep");
  });

  it("[E4] runs no pattern of the catalog, and lets the platform validate the value", async () => {
    const { platform } = env;
    const headers = { authorization: `Token ${platform.tokens.admin}` };
    const path = `/organization/${platform.organizationId}/platformTemplate`;
    const catalog = await (await fetch(platform.url + path, { headers })).text();
    const evil = catalog.replaceAll(/"pattern":\s*"(?:[^"\\]|\\.)*"/g, `"pattern":"^(a+)+$"`);
    expect(evil).not.toBe(catalog);
    always("evil", "listPlatformTemplates", 200, evil);
    const record = await env.record();
    await env.apply(
      resource("PlatformBinding", "evil", {
        clusterRef: { externalId: platform.clusterIds[1] ?? "" },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        managedConfig: { ingress: { domain: { value: `${"a".repeat(200)}!` } } },
      }),
    );
    await env.stalled("PlatformBinding", "evil", "InvalidSpec", "rejected putBinding");
    expect(record.changes().length).toBeGreaterThan(0);
    platform.sim.faults.clear("evil");
    await env.remove("PlatformBinding", "evil");
  });

  it("[E7] shows an answer of the platform without the secrets and terminal escapes that it quotes", async ({
    task,
  }) => {
    const encoded = [
      JSON.stringify({ value: VALUE }),
      encodeURIComponent(VALUE),
      Buffer.from(VALUE).toString("base64"),
    ];
    const quotes = [VALUE, ...encoded, env.platform.tokens.admin];
    const detail = `\u001b[31mno\r\n\u202e\u0000 ${quotes.join(" \u2028 ")} "}\nfake 1\n`;
    always("quoting", "importEnvironmentVariable", 422, { detail });
    await env.apply(
      secret("quoted", { password: VALUE }),
      application("quoted", "good", {
        variables: [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name: "quoted", key: "password" } } }],
      }),
    );
    const stalled = await env.waitFor("PlatformApplication", "quoted", { type: "Stalled", status: "True" });
    expect(condition(stalled, "Ready")?.message).toMatch(/rejected importVariables \(422\): \[31mno/);
    await vi.waitFor(async () => expect((await notesOf("quoted")).join("\n")).toContain("[31mno"));
    const messages = ["Ready", "Synced", "Stalled"].map((type) => condition(stalled, type)?.message ?? "");
    expect([...(await notesOf("quoted")), ...messages].filter((text) => ODD.test(text))).toEqual([]);
    const all = await output();
    for (const quote of quotes) expect(all).not.toContain(quote);
    expect(all).not.toContain("c4n4ry");
    env.platform.sim.faults.clear("quoting");
    figure(task, "0 occurrences in statuses, events, log and metrics", quotes.length);
  });

  it("[E13] shows no hostile name in metrics, and writes each line of the log as one record", async ({ task }) => {
    const name = 'a\u001b[31m\u202eb"} 1';
    await env.ready(project("ansi", { name }));
    const series = (await metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(series.filter((line) => !/^\w+(\{(\w+="[^"\\\p{Cc}]*",?)*\})? [-+.\deInfNa]+$/u.test(line))).toEqual([]);
    const logs = env.operator.logs();
    const texts = logs.flatMap((line) => Object.values(line)).filter((value) => typeof value === "string");
    expect(texts.filter((text) => ODD.test(text))).toEqual([]);
    const conditions = JSON.stringify((await env.get("PlatformProject", "ansi")).status);
    expect(conditions).not.toMatch(/\\u001b|\u202e/);
    figure(task, `${logs.length} lines of the log and ${series.length} series, 0 with an odd character`);
  });

  it("[E8] follows no redirect, and requests no URL that it only passes on to the platform", async ({ task }) => {
    const inside = await startScriptedServer();
    const outside = await startScriptedServer();
    outside.script({ status: 307, headers: { location: `${inside.url}/latest/meta-data` } });
    await env.apply(
      secret("moved", { token: "some-token-of-ours" }),
      connection(env, "moved", { baseUrl: outside.url, surface: "Documented" }),
      project("moved", { connectionRef: { name: "moved" } }),
      // An event that does not occur: the platform itself would request the URL.
      resource("PlatformWebhook", "inside", { targetUrl: `${inside.url}/hook`, events: ["DEPLOYMENT_CANCELLED"] }),
      blueprint("inside", "good", { icon: `${inside.url}/icon.svg` }),
      application("inside", "good", { gitRepository: { url: `${inside.url}/web.git`, branch: "main" } }),
    );
    const moved = await env.waitFor("PlatformConnection", "moved", { status: "False" });
    expect(condition(moved, "Synced")?.status).toBe("False");
    await env.waitFor("PlatformProject", "moved", { reason: "ConnectionNotReady" });
    for (const kind of ["PlatformWebhook", "PlatformBlueprint", "PlatformApplication"])
      await env.waitFor(kind, "inside", (object) => condition(object, "Ready") !== undefined);
    expect(outside.arrived.length).toBeGreaterThan(0);
    expect(inside.arrived).toEqual([]);
    await Promise.all([inside.stop(), outside.stop()]);
    figure(task, "0 requests to the URLs of a redirect, a webhook, an icon and a repository", 4);
  });

  async function expectOtherServed(why: string): Promise<void> {
    const { metadata } = await env.get("PlatformApplication", "good");
    const commit = `${NEXT_COMMIT.slice(0, 38)}${String(metadata.generation).padStart(2, "0")}`;
    await env.patch("PlatformApplication", "good", deploying(commit));
    expect((await env.waitFor("PlatformApplication", "good", { status: "True" })).metadata.name, why).toBe("good");
  }
});
