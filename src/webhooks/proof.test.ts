import { describe, expect, it } from "vitest";

import { aKey } from "../../test/support/engine/keys.ts";
import { usualSettings } from "../../test/support/engine/links.ts";
import { temporaryKey } from "../engine/ownership/installation-key.ts";
import { type DeliveryProof, type Expected, senderOf } from "./delivery.ts";
import { proofOf, receivers, type Sender } from "./proof.ts";

const connection = (name: string, change: Partial<Sender> = {}): Sender => ({
  key: { kind: "PlatformConnection", namespace: "shop", name },
  host: "platform.example.com",
  settings: usualSettings("Full"),
  ...change,
});
const hook = (name: string, namespace = "shop") => ({ kind: "PlatformWebhook", namespace, name });

const SENDER = connection("default");
const expecting = (name: string, sendsSecret: boolean): DeliveryProof => ({
  ...proofOf(aKey(), hook(name), SENDER),
  connection: { ...SENDER.key, name: `connection of ${name}` },
  sendsSecret,
});
const [first, second] = [expecting("first", false), expecting("second.hook", true)];
const expected: Expected = ({ namespace, name }) =>
  namespace === "shop" ? { first, "second.hook": second }[name] : undefined;
const { path, secret } = second;
const proof = { "platform-secret": secret };
const code = path.slice(path.lastIndexOf("/") + 1);

describe("[E12] the proof of a delivery", () => {
  it("differs for each webhook, connection, host, organization and key", () => {
    const of = (change: Partial<Sender>, name = "a", namespace = "shop", key = aKey()) =>
      proofOf(key, hook(name, namespace), connection("default", change));
    const proofs = [
      of({}),
      of({}, "b"),
      of({}, "a", "pay"),
      of({ key: { ...SENDER.key, name: "other" } }),
      of({ key: { ...SENDER.key, kind: "ClusterPlatformConnection" } }),
      of({ host: "elsewhere.example.com" }),
      of({ settings: { ...SENDER.settings, organizationId: "another" } }),
      of({}, "a", "shop", aKey("another key")),
    ];
    const secrets = proofs.map((one) => one.secret);
    const codes = proofs.map((one) => one.path.slice(one.path.lastIndexOf("/") + 1));
    expect(new Set([...secrets, ...codes]).size).toBe(2 * proofs.length);
    for (const one of [...secrets, ...codes]) expect(one).toMatch(/^[-_A-Za-z0-9]{22}$/);
  });

  it("stays the same when its webhook and connection are created again", () => {
    const again = { ...SENDER, settings: { ...SENDER.settings, tokenSecret: { name: "other", key: "token" } } };
    expect(proofOf(aKey(), hook("second.hook"), again)).toEqual({ path, secret });
  });

  it.each<[string, string, Record<string, string | string[]>, string]>([
    ["the path and the secret", `/${path}`, proof, "second.hook"],
    ["the path under a prefix", `/hooks/of/us/${path}`, proof, "second.hook"],
    ["the path with a query", `/${path}?try=2`, proof, "second.hook"],
    ["another webhook's path", `/${first.path}`, {}, "first"],
    ["the secret in a header named after the platform", `/${path}`, { "platform-signature": secret }, "second.hook"],
    ["the secret in a header with x-", `/${path}`, { "x-platform-signature": secret }, "second.hook"],
    ["the secret in a header of any other name", `/${path}`, { "x-hub-proof": secret }, "second.hook"],
    ["the secret beside another signature", `/${path}`, { "x-signature": "theirs", "x-secret": secret }, "second.hook"],
    ["no secret", `/${path}`, {}, "unproven"],
    ["a wrong secret", `/${path}`, { "platform-signature": "0".repeat(22) }, "unproven"],
    ["a part of the secret", `/${path}`, { "platform-signature": secret.slice(1) }, "unproven"],
    ["another webhook's secret", `/${path}`, { "platform-secret": first.secret }, "unproven"],
    ["an empty secret", `/${path}`, { "platform-secret": "" }, "unproven"],
    ["the secret in the query", `/${path}?platform-secret=${secret}`, {}, "unproven"],
    ["a proxy's header where no secret is sent", `/${first.path}`, { "x-proxy-signature": "v1" }, "first"],
    ["a wrong code", `/shop/second.hook/${"0".repeat(22)}`, proof, "unproven"],
    ["the code of another webhook", `/shop/first/${code}`, proof, "unproven"],
    ["a webhook that does not exist", `/shop/third/${code}`, proof, "unproven"],
    ["a webhook of another namespace", `/pay/second.hook/${code}`, proof, "unproven"],
    ["the secret in place of the code", `/shop/second.hook/${secret}`, proof, "unproven"],
    ["the code alone", `/${code}`, proof, "unproven"],
    ["a part of the code", `/shop/second.hook/${code.slice(1)}`, proof, "unproven"],
    ["the path in upper case", `/${path.toUpperCase()}`, proof, "unproven"],
    ["the path in a query", `/?${path}`, proof, "unproven"],
    ["the path with a slash behind it", `/${path}/`, proof, "unproven"],
    ["no path", "/", proof, "unproven"],
    ["an empty URL", "", proof, "unproven"],
  ])("identifies the webhook of a request with %s", (_name, url, headers, outcome) => {
    const sender = outcome === "unproven" ? undefined : `connection of ${outcome}`;
    expect(senderOf(expected, url, headers)?.name).toBe(sender);
  });

  it("identifies no webhook while no delivery is expected", () => {
    expect(senderOf(() => undefined, `/${path}`, proof)).toBeUndefined();
  });
});

describe("the URL of the operator's receiver", () => {
  const hidden: string[] = [];
  const hide = (namespace: string, source: string, value: string): void => {
    hidden.push(`${namespace}: ${source}: ${value}`);
  };

  it("consists of the flag's URL and the path, and its secret parts are masked", () => {
    const receiver = receivers({ webhookUrl: "https://hooks.example.com/us/", key: aKey(), hide });
    const of = receiver(hook("second.hook"), SENDER);
    expect(of).toEqual({ url: `https://hooks.example.com/us/${path}`, path, secret });
    expect(hidden).toEqual([`shop: path of second.hook: ${code}`, `shop: secret of second.hook: ${secret}`]);
  });

  it.each([
    ["without --webhook-url", { webhookUrl: undefined, key: aKey() }, "--webhook-url"],
    ["with a key that is lost at a restart", { webhookUrl: "https://h", key: temporaryKey() }, "platform-operator-key"],
  ])("is missing %s, with a message about the remedy", (_name, options, remedy) => {
    const { url } = receivers({ ...options, hide })(hook("a"), SENDER);
    expect(url).toMatchObject({ reason: "DependencyNotReady", message: expect.stringContaining(remedy) });
  });
});
