import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { clusterContext, listed } from "../../../test/support/kinds/cluster-contexts.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { NOTHING_OBSERVED, type Observed } from "./model.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { kubeconfig, tokenDue } from "./token.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const ref = { name: "edge", readOnly: true };
const caBundle = Buffer.from("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n").toString("base64");
const fetched = (expirationTimestamp: string | undefined): Observed => {
  const status = { token: "s3cret-value", ...(expirationTimestamp !== undefined && { expirationTimestamp }) };
  return { ...listed("DEPLOYED"), token: { is: "found", value: { status } } };
};
const failing = (is: "Forbidden" | "Server" | "NotSupported" | "BadResponse" | "Invalid"): Observed => {
  const failure: ApiFailure = { is };
  return { ...listed("DEPLOYED"), token: { is: "failed", error: new ApiError("getClusterToken", failure, 400, "no") } };
};
const contextOf = (change: object = {}, spec: object = {}) =>
  clusterContext({ now: NOW, ...change }, { writeTokenSecretToRef: ref, ...spec });
const held = (change: object = {}) => {
  const [expiresAt, renewAt] = ["2026-11-21T10:30:00Z", "2026-11-21T10:10:00.000Z"];
  return { token: { secretName: "edge", expiresAt, renewAt, generation: 1, resourceVersion: "9", ...change } };
};

describe("the token of a cluster", () => {
  it.each<[string, string | undefined, number]>([
    ["an hour: at two thirds of its life", "2026-11-21T11:00:00Z", 2_400_000],
    ["twelve minutes: five before its end", "2026-11-21T10:12:00Z", 420_000],
    ["two minutes: not sooner than in one", "2026-11-21T10:02:00Z", 60_000],
    ["none any more", "2026-11-21T09:00:00Z", 60_000],
    ["no lifetime in the answer", undefined, 300_000],
    ["a life that nobody can read", "soon", 300_000],
  ])("that has %s, is renewed in time", (_name, expires, lookWithin) => {
    const reported = report(contextOf(), fetched(expires));
    expect(reported.lookWithin).toBe(lookWithin);
    const renewAt = new Date(NOW.getTime() + lookWithin).toISOString();
    const expiresAt = expires !== undefined && { expiresAt: expires };
    const token = { secretName: "edge", ...expiresAt, renewAt, generation: 1, resourceVersion: "9" };
    expect(reported.secret?.status("9")).toEqual({ token });
  });

  it("is in the Secret alone", () => {
    const server = "https://edge.example.com:6443";
    const context = contextOf({}, { writeTokenSecretToRef: { ...ref, server, caBundle } });
    const observed = fetched("2026-11-21T11:00:00Z");
    const { secret, ...rest } = report(context, observed);
    expect(Object.keys(secret?.data ?? {}).toSorted()).toEqual(["expirationTimestamp", "kubeconfig", "token"]);
    expect(secret?.data["token"]).toBe("s3cret-value");
    expect(JSON.stringify([rest, secret?.status("9"), plan(context, observed)])).not.toContain("s3cret");
    expect(Object.keys(report(contextOf(), fetched(undefined)).secret?.data ?? {})).toEqual(["token"]);
  });

  it.each<[string, object, object, Observed, boolean]>([
    ["nobody wants one", {}, { writeTokenSecretToRef: undefined }, listed("DEPLOYED"), false],
    ["there is none", {}, {}, listed("DEPLOYED"), true],
    ["it holds", { memory: held() }, {}, listed("DEPLOYED"), false],
    ["it is to be renewed", { memory: held({ renewAt: "2026-11-21T10:00:00.000Z" }) }, {}, listed("DEPLOYED"), true],
    ["the spec changed", { memory: held(), generation: 2 }, {}, listed("DEPLOYED"), true],
    ["it was for another Secret", { memory: held({ secretName: "old" }) }, {}, listed("DEPLOYED"), true],
    ["somebody changed the Secret", { memory: held(), isSecretChanged: true }, {}, listed("DEPLOYED"), true],
    ["the user asks", { memory: held(), requested: "now" }, {}, listed("DEPLOYED"), true],
    ["nothing can be read of when", { memory: held({ renewAt: "never" }) }, {}, listed("DEPLOYED"), true],
    ["the cluster is not deployed", {}, {}, listed("STOPPED", { isDeployed: false }), false],
    ["an answer once said that it is not deployed", { memory: { isDeployed: false } }, {}, NOTHING_OBSERVED, true],
    ["the cluster is to be stopped", {}, { runState: "Stopped" }, listed("DEPLOYED"), false],
  ])("is fetched or not when %s", (_name, change, spec, observed, expected) => {
    const context = contextOf(change, spec);
    expect(tokenDue(context, observed, context.spec.runState)).toBe(expected);
  });

  it.each([
    ["Forbidden", "stalled", "PermissionDenied"],
    ["NotSupported", "stalled", "NotSupportedByPlatform"],
    ["BadResponse", "waiting", "UnexpectedResponse"],
    ["Invalid", "waiting", "DependencyNotReady"],
    ["Server", "waiting", "PlatformUnavailable"],
  ] as const)("that cannot be fetched (%s) is reported once no older one is valid", (failure, is, reason) => {
    expect(plan(contextOf(), failing(failure))).toMatchObject({ is, why: { reason } });
    expect(plan(contextOf({ memory: held() }), failing(failure))).toEqual({ is: "settled" });
    expect(report(contextOf({ memory: held() }), failing(failure))).toMatchObject({ lookWithin: 60_000 });
    expect(plan(contextOf({ memory: held(), now: new Date("2026-11-21T10:30:00Z") }), failing(failure)).is).toBe(is);
  });

  it("is forgotten when the spec does not have it any more", () => {
    const context = contextOf({ memory: held() }, { writeTokenSecretToRef: undefined });
    const { status, secret } = report(context, listed("READY"));
    expect(status).toMatchObject({ token: undefined });
    expect(secret).toBeUndefined();
  });
});

const odd = ['"', "a: b # c", "\n- x", "\\u0041\\", "\u2028\u0085\uFEFF", "yes", "😀\u0000\u007F", "{{ }}"];
it.each(odd.map((text) => [JSON.stringify(text), text]))("a kubeconfig says what it was given: %s", (_name, text) => {
  expect(parse(kubeconfig({ name: text, server: text, caBundle, token: text }))).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: text, cluster: { server: text, "certificate-authority-data": caBundle } }],
    users: [{ name: text, user: { token: text } }],
    contexts: [{ name: text, context: { cluster: text, user: text } }],
    "current-context": text,
  });
});
