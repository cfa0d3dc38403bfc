import { describe, expect, it } from "vitest";

import { operations, type OperationId } from "../base/operations.ts";
import { routes } from "../routes/index.ts";
import { maskBody } from "./masks.ts";

const field = { key: "dnsApiToken", sensitive: true };
const world = { templates: [{ layers: [{ components: [{ key: "ingress", fields: [field] }] }] }] } as never;
const keeps = (operation: OperationId) => routes.find((route) => route.operation === operation)?.keeps;
const masked = (operation: OperationId, body: object): unknown =>
  maskBody(Buffer.from(JSON.stringify(body)), keeps(operation), world);

describe("the bodies in the journal", () => {
  it.each<[what: string, operation: OperationId, bodyOf: (secret: string) => object]>([
    ["nothing", "createProject", () => ({ name: "shop" })],
    ["the secret of a webhook", "createWebhook", (secret) => ({ enabled: true, target_secret: secret })],
    ["a variable", "importEnvironmentVariable", (value) => ({ vars: [{ name: "A", value, is_secret: true }] })],
    ["variables that are not a list", "createBlueprint", (variables) => ({ name: "cache", variables })],
    [
      "a sensitive field of a binding",
      "updateClusterPlatformBinding",
      (dnsApiToken) => ({ templateKey: "a", managedConfig: { ingress: { dnsApiToken, domain: "a.example" } } }),
    ],
  ])("mask %s in %s, and keep all other members", (_what, operation, bodyOf) => {
    expect(masked(operation, bodyOf("s3cret"))).toEqual(bodyOf("***"));
  });

  it.each(operations)("mask an undeclared member of $id", ({ id }) => {
    const body = { credentials: "s3cret", __proto__: "s3cret", toString: "s3cret" };
    expect(JSON.stringify(masked(id, body))).not.toContain("s3cret");
    expect(masked(id, ["s3cret"])).toBe("***");
  });

  it("are masked as a whole for an unknown operation and for invalid JSON", () => {
    expect(maskBody(Buffer.from("{}"), undefined, world)).toBe("***");
    expect(masked("deleteProject", { token: "s3cret" })).toBe("***");
    expect(maskBody(Buffer.from("{"), keeps("createProject"), world)).toBe("***");
    expect(maskBody(Buffer.alloc(0), keeps("createProject"), world)).toBeUndefined();
  });
});
