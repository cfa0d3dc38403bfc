/**
 * Values of Secrets are masked in whatever spelling the platform quotes them, and only in texts about their namespace:
 * a tenant's Secret does not take from the log what the operator says of others.
 */
import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { application, COMMIT, connection, defaults, environment, project, secret } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

const LINES = [
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
  "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
  "-----END PRIVATE KEY-----",
];
const PEM = `${LINES.join("\n")}\n`;
const PASSWORD = "pa55 & <w0rd>+'\"/ä=!";
const bytesOf = (text: string, encoding: "base64" | "base64url") => Buffer.from(text).toString(encoding);
const html = (text: string, quote: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", quote);
const inGo = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const lowerHex = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase());
const form = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
/** The characters that a base64 text of more than the value shares with that of the value, at any place of it. */
const shared = (before: string): string => bytesOf(`${before}${PASSWORD}`, "base64").slice(12, 24);

/** What the platform quotes, and the parts of it that nobody may see. */
const QUOTES: readonly (readonly [what: string, quoted: string, parts: readonly string[]])[] = [
  ["PEM with its newlines", PEM, LINES],
  ["PEM with blanks in place of newlines", LINES.join(" "), LINES],
  ["a single line of PEM", LINES[2] ?? "", [LINES[2] ?? ""]],
  ["PEM in JSON in JSON", JSON.stringify(JSON.stringify(PEM)), LINES],
  [
    "PEM in base64 with line breaks",
    bytesOf(PEM, "base64").replaceAll(/.{76}/g, "$&\n"),
    [bytesOf(PEM, "base64").slice(4, 70)],
  ],
  ["form-encoded", form(PASSWORD), [form(PASSWORD).slice(1, -1)]],
  ["form-encoded PEM", form(PEM), [LINES[1] ?? "", form(LINES[3] ?? "")]],
  ["percent-encoded in lower case", lowerHex(encodeURIComponent(PASSWORD)), ["%26%20%3cw0rd%3e"]],
  [String.raw`in JSON with \u0026`, inGo(PASSWORD), [String.raw`\u0026 \u003cw0rd`, "w0rd"]],
  ["in HTML", html(PASSWORD, "&#39;"), ["&lt;w0rd&gt;", "w0rd"]],
  ["in HTML with hexadecimal references", html(PASSWORD, "&#x27;"), ["&lt;w0rd&gt;", "w0rd"]],
  ["after a user in base64", bytesOf(`user:${PASSWORD}`, "base64"), [shared("user:")]],
  ["after another user in base64", bytesOf(`admin:${PASSWORD}`, "base64"), [shared("admin:")]],
  [
    "after a third user in base64",
    bytesOf(`robot1:${PASSWORD}`, "base64url"),
    [shared("robot1:").replaceAll("+", "-").replaceAll("/", "_")],
  ],
];

describe("the operator, when the platform quotes the value of a Secret,", () => {
  const env = createEnv({ surface: "full", args: ["--log-level=trace"], more: ["b"] });
  const b = env.at("b");
  const variable = (name: string, key: string) => ({
    name: name.toUpperCase(),
    valueFrom: { secretKeyRef: { name, key } },
  });
  const tree = (parent: string, variables: readonly JsonObject[]): readonly Manifest[] => [
    project(parent),
    environment(env, parent, parent),
    application("web", parent, { variables: [...variables] }),
  ];
  let cpu = 300;
  /** Lets the platform answer a change of the application with a text. @returns status, event and lines about it */
  const quote = async (text: string): Promise<Readonly<Record<"status" | "event" | "log", string>>> => {
    const before = env.operator.output().length;
    cpu += 2;
    const said = `answer ${String(cpu)}: ${text}`;
    const body = JSON.stringify({ status: 422, error: "Unprocessable Entity", message: said });
    const answer = { is: "status", status: 422, body } as const;
    env.platform.sim.faults.add({
      name: "quote",
      match: { method: "PUT", path: "/application/*" },
      count: null,
      answer,
    });
    await env.patch("PlatformApplication", "web", { spec: { cpu } });
    const hasAnswer = (event: object): boolean => JSON.stringify(event).includes(`answer ${String(cpu)}`);
    const application = await env.waitFor("PlatformApplication", "web", hasAnswer);
    const events = async () => (await env.list("Event")).filter(hasAnswer);
    await expect.poll(events).not.toEqual([]);
    const event = JSON.stringify(await events());
    env.platform.sim.faults.clear("quote");
    await env.patch("PlatformApplication", "web", { spec: { cpu: cpu + 1 } });
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    const log = env.operator.output().slice(before);
    expect(log).toContain(`answer ${String(cpu)}`);
    return { status: JSON.stringify(application.status), event, log };
  };

  beforeAll(async () => {
    await env.apply(
      ...defaults(env, { surface: "Full" }),
      secret("pem", { key: PEM }),
      secret("password", { key: PASSWORD }),
      secret("large", { key: "the-key-that-is-read", other: "the-words" }),
      ...tree("shop", [variable("pem", "key"), variable("password", "key"), variable("large", "key")]),
    );
    await b.apply(
      secret("token", { token: env.platform.tokens.admin }),
      connection(env, "default", { surface: "Full", auth: { tokenSecretRef: { name: "token" } } }),
      secret("blinding", {
        time: '"time":"',
        line: '"level":"',
        name: env.namespace,
        kind: "PlatformApplication",
        said: "changed the platform",
      }),
      ...tree(
        "other",
        ["time", "line", "name", "kind", "said"].map((key) => ({
          ...variable("blinding", key),
          name: `V_${key.toUpperCase()}`,
        })),
      ),
    );
    for (const at of [env, b]) await at.waitFor("PlatformApplication", "web", { status: "True" });
  });

  it.each(QUOTES)("[E7] masks it in status, event and log: %s", async (what, quoted, parts) => {
    const quotes = await quote(`invalid value ${quoted} of a key`);
    for (const [where, text] of Object.entries(quotes))
      for (const part of parts) expect(text, `${what} in ${where}`).not.toContain(JSON.stringify(part).slice(1, -1));
    expect(quotes.status).toContain("invalid value");
  });

  it("[E6] masks only values of the keys that it has read", async () => {
    const { status } = await quote("the-key-that-is-read the-words");
    expect(status).toContain("the-words");
    expect(status).not.toContain("the-key-that-is-read");
  });

  it("[E6] masks lines about the Secret's own namespace only, and only their text", async ({ task }) => {
    const before = env.operator.logs().length;
    await env.patch("PlatformApplication", "web", { spec: { deploy: { gitCommitId: `${COMMIT.slice(0, 38)}ff` } } });
    await env.waitFor("PlatformApplication", "web", { status: "True" });
    await b.patch("PlatformApplication", "web", { spec: { deploy: { gitCommitId: `${COMMIT.slice(0, 38)}ff` } } });
    await b.waitFor("PlatformApplication", "web", { status: "True" });
    const lines = env.operator.logs().slice(before);
    expect(JSON.stringify(lines)).not.toContain("withheld");
    const of = (namespace: string) =>
      lines.filter((line) => line["namespace"] === namespace && line["logger"] === "changes");
    expect(of(env.namespace)).toContainEqual(
      expect.objectContaining({ kind: "PlatformApplication", message: "changed the platform" }),
    );
    expect(of(b.namespace)).toContainEqual(
      expect.objectContaining({ kind: "PlatformApplication", name: "web", message: "[redacted]" }),
    );
    figure(task, `${String(lines.length)} lines read, 0 withheld`, lines.length);
  });

  it("[E6] shows the text again when the Secret is deleted", async () => {
    await b.remove("Secret", "blinding");
    await b.waitFor("PlatformApplication", "web", { reason: "DependencyNotReady" });
    const before = env.operator.logs().length;
    await b.apply(project("after"));
    await b.waitFor("PlatformProject", "after", { status: "True" });
    const lines = env.operator
      .logs()
      .slice(before)
      .filter((line) => line["namespace"] === b.namespace && line["name"] === "after");
    expect(lines).toContainEqual(expect.objectContaining({ message: "changed the platform" }));
  });
});
