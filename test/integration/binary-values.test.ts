import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { application, connection, resource, secret } from "../support/kube/manifests.ts";
import { fixture } from "./fixture.ts";

/** No byte sequence of UTF-8 begins with 0xfe or 0xff. */
const RANDOM = Buffer.from(Array.from({ length: 64 }, (_, index) => 255 - index * 3));

const env = createEnv({ surface: "full" });

const binary = (name: string, data: Readonly<Record<string, Uint8Array>>, type?: string): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  ...(type !== undefined && { type }),
  data: base64(data),
});
const base64 = (data: Readonly<Record<string, Uint8Array>>): JsonObject =>
  Object.fromEntries(Object.entries(data).map(([key, bytes]) => [key, Buffer.from(bytes).toString("base64")]));
const fromSecret = (name: string, key: string) => [{ name: "KEY", valueFrom: { secretKeyRef: { name, key } } }];
const fromConfigMap = (name: string, key: string) => [{ name: "KEY", valueFrom: { configMapKeyRef: { name, key } } }];

beforeAll(async () => {
  await fixture(env);
  await env.apply(
    binary("random", { bytes: RANDOM, text: Buffer.from("grüße 🚀") }),
    binary("utf-16", { marked: Buffer.from("\ufeffgeheim", "utf16le"), bare: Buffer.from("geheim", "utf16le") }),
    { ...resource("ConfigMap", "blobs", {}), apiVersion: "v1", binaryData: base64({ blob: RANDOM }) },
  );
});

describe("the operator, given a value that is not UTF-8 text", () => {
  it.each([
    ["64 random bytes of a Secret", "random-bytes", fromSecret("random", "bytes"), 'Key "bytes" of Secret "random"'],
    ["a UTF-16 file in a Secret", "utf-16-file", fromSecret("utf-16", "marked"), 'Key "marked" of Secret "utf-16"'],
    ["UTF-16 without a mark", "utf-16-bare", fromSecret("utf-16", "bare"), 'Key "bare" of Secret "utf-16"'],
    ["binaryData of a ConfigMap", "config-map", fromConfigMap("blobs", "blob"), 'Key "blob" of ConfigMap "blobs"'],
  ])("does not send it to the platform, and names its key in the status: %s", async (_what, name, variables, key) => {
    const record = await env.record();
    await env.apply(application(name, "staging", { variables }));
    const object = await env.waitFor("PlatformApplication", name, { reason: "DependencyNotReady" });
    expect(JSON.stringify(object.status)).toContain(JSON.stringify(key).slice(1, -1));
    expect(JSON.stringify(object.status)).toContain("is not UTF-8 text");
    expect(JSON.stringify(object.status)).toContain("encode it as base64");
    expect(record.changes()).toEqual([]);
  });

  it("names its key in the status of a PlatformVariableSet that imports the whole Secret", async () => {
    await env.ready(application("all", "staging"));
    const record = await env.record();
    const spec = { targets: [{ applicationRef: { name: "all" } }], variablesFrom: [{ secretRef: { name: "random" } }] };
    await env.apply(resource("PlatformVariableSet", "all", spec));
    const set = await env.waitFor("PlatformVariableSet", "all", { reason: "DependencyNotReady" });
    expect(JSON.stringify(set.status)).toContain('Key \\"bytes\\" of Secret \\"random\\"');
    expect(record.changes()).toEqual([]);
  });

  it("skips it in a PlatformVariableSet where its key is not a valid name of a variable, and names the key", async () => {
    await env.apply(binary("keystore", { "store.p12": RANDOM, STORE_PASSWORD: Buffer.from("open") }));
    const variablesFrom = [{ secretRef: { name: "keystore" } }];
    await env.ready(
      application("keystore", "staging"),
      resource("PlatformVariableSet", "keystore", {
        targets: [{ applicationRef: { name: "keystore" } }],
        variablesFrom,
      }),
    );
    const { status } = await env.get("PlatformVariableSet", "keystore");
    expect(JSON.stringify(status)).toContain('key \\"store.p12\\"');
  });

  it("ignores it where nothing refers to its key", async () => {
    await env.ready(application("text", "staging", { variables: fromSecret("random", "text") }));
    const imported = [...env.platform.world().variables.values()].map(({ value }) => value);
    expect(imported).toContain("grüße 🚀");
  });

  it("leaves the earlier text on the platform, and reports that the value has changed to bytes", async () => {
    await env.apply(secret("rotated", { key: "first" }));
    await env.ready(application("rotated", "staging", { variables: fromSecret("rotated", "key") }));
    const record = await env.record();
    await env.apply(binary("rotated", { key: RANDOM }));
    await env.annotate("PlatformApplication", "rotated", { "platform-operator.io/reconcile-requested-at": "1" });
    await env.waitFor("PlatformApplication", "rotated", { reason: "DependencyNotReady" });
    expect(record.changes()).toEqual([]);
  });
});

describe("a PlatformConnection that refers to bytes that are not UTF-8 text", () => {
  const reported = async (name: string, reason: string) => {
    const object = await env.waitFor("PlatformConnection", name, { reason });
    return JSON.stringify(object.status);
  };

  it("names the key of such a token in its status", async () => {
    await env.apply(binary("bytes-token", { token: RANDOM }), connection(env, "bytes-token"));
    expect(await reported("bytes-token", "CredentialsMissing")).toContain(
      'has a value under the key \\"token\\" that is not UTF-8 text',
    );
  });

  it("names the key of such a certificate bundle in its status", async () => {
    const caBundle = { configMapKeyRef: { name: "blobs", key: "blob" } };
    await env.apply(
      secret("bytes-bundle", { token: env.platform.tokens.admin }),
      connection(env, "bytes-bundle", { caBundle }),
    );
    const status = await reported("bytes-bundle", "DependencyNotReady");
    expect(status).toContain('Key \\"blob\\" of ConfigMap \\"blobs\\"');
    expect(status).toContain("is not UTF-8 text");
  });
});
