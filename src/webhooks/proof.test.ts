import { describe, expect, it } from "vitest";

import { receiverKeys } from "../engine/connections/receiver-keys.ts";
import { senderOf, type Expecting } from "./delivery.ts";

const connection = (name: string, sendsSecret: boolean): Expecting => {
  const key = { kind: "PlatformConnection", namespace: "shop", name };
  return { key, keys: receiverKeys("a-long-random-text", key), sendsSecret };
};
const [first, second] = [connection("first", false), connection("second", true)];
const { path, secret } = second.keys;
const proof = { "platform-secret": secret };

describe("[E12] the proof of a delivery", () => {
  it("differs from connection to connection, and tells nothing of the token", () => {
    const all = [first.keys.path, first.keys.secret, path, secret];
    expect(new Set(all).size).toBe(4);
    expect(all.every((one) => /^[0-9a-f]{64}$/.test(one))).toBe(true);
  });

  it.each<[string, string, Record<string, string | string[]>, string]>([
    ["the path and the secret", `/${path}`, proof, "second"],
    ["the path under a prefix", `/hooks/of/us/${path}`, proof, "second"],
    ["the path with a query", `/${path}?try=2`, proof, "second"],
    ["another connection's path", `/${first.keys.path}`, {}, "first"],
    ["the secret in a header named after the platform", `/${path}`, { "platform-signature": secret }, "second"],
    ["the secret in a header with x-", `/${path}`, { "x-platform-signature": secret }, "second"],
    ["the secret in a header of any other name", `/${path}`, { "x-hub-proof": secret }, "second"],
    ["the secret beside a value of a proxy", `/${path}`, { "x-signature": "theirs", "x-secret": secret }, "second"],
    ["no secret", `/${path}`, {}, "unproven"],
    ["a wrong secret", `/${path}`, { "platform-signature": "0".repeat(64) }, "unproven"],
    ["a part of the secret", `/${path}`, { "platform-signature": secret.slice(1) }, "unproven"],
    ["another connection's secret", `/${path}`, { "platform-secret": first.keys.secret }, "unproven"],
    ["an empty secret", `/${path}`, { "platform-secret": "" }, "unproven"],
    ["the secret in the query", `/${path}?platform-secret=${secret}`, {}, "unproven"],
    ["a proxy's header where no secret is sent", `/${first.keys.path}`, { "x-proxy-signature": "v1" }, "first"],
    ["a wrong path", `/${"0".repeat(64)}`, {}, "unproven"],
    ["the secret for a path", `/${secret}`, {}, "unproven"],
    ["a part of the path", `/${path.slice(1)}`, {}, "unproven"],
    ["the path in upper case", `/${path.toUpperCase()}`, {}, "unproven"],
    ["the path in a query", `/?${path}`, {}, "unproven"],
    ["the path and more", `/${path}/`, {}, "unproven"],
    ["no path", "/", {}, "unproven"],
    ["nothing", "", {}, "unproven"],
  ])("%s", (_name, url, headers, outcome) => {
    expect(senderOf([first, second], url, headers)?.name ?? "unproven").toBe(outcome);
  });

  it("is nobody's while no connection expects deliveries", () => {
    expect(senderOf([], `/${path}`, {})).toBeUndefined();
  });
});
