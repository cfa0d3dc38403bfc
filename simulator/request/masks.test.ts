import { describe, expect, it } from "vitest";

import { operations, type OperationId } from "../base/operations.ts";
import { routes } from "../routes/index.ts";
import { maskBody } from "./masks.ts";

const world = { templates: [] } as unknown as Parameters<typeof maskBody>[2];
const keeps = (operation: OperationId) => routes.find((route) => route.operation === operation)?.keeps;
const masked = (operation: OperationId, body: object): unknown =>
  maskBody(Buffer.from(JSON.stringify(body)), keeps(operation), world);

describe("the journal", () => {
  it("keeps bodies without secrets, and masks the secrets of others", () => {
    expect(masked("createProject", { name: "shop" })).toEqual({ name: "shop" });
    expect(masked("createWebhook", { enabled: true, target_secret: "s3cret" })).toEqual({
      enabled: true,
      target_secret: "***",
    });
    expect(masked("importEnvironmentVariable", { vars: [{ name: "A", value: "s3cret", is_secret: true }] })).toEqual({
      vars: [{ name: "A", value: "***", is_secret: true }],
    });
  });

  it("masks a secret in a binding, and a value that is not a list of variables", () => {
    const templates = [
      { layers: [{ components: [{ key: "ingress", fields: [{ key: "dnsApiToken", sensitive: true }] }] }] },
    ];
    const body = { templateKey: "a", managedConfig: { ingress: { dnsApiToken: "s3cret", domain: "a.example" } } };
    expect(
      maskBody(Buffer.from(JSON.stringify(body)), keeps("updateClusterPlatformBinding"), {
        ...world,
        templates,
      } as never),
    ).toEqual({ templateKey: "a", managedConfig: { ingress: { dnsApiToken: "***", domain: "a.example" } } });
    expect(masked("createBlueprint", { name: "cache", variables: "s3cret" })).toEqual({
      name: "cache",
      variables: "***",
    });
  });

  it.each(operations)("masks an undeclared member of $id", ({ id }) => {
    expect(
      JSON.stringify(masked(id, { credentials: "s3cret", __proto__: "s3cret", toString: "s3cret" })),
    ).not.toContain("s3cret");
    expect(masked(id, ["s3cret"])).toBe("***");
  });

  it("masks the whole body of an unknown operation, or one that is not JSON", () => {
    expect(maskBody(Buffer.from("{}"), undefined, world)).toBe("***");
    expect(masked("deleteProject", { token: "s3cret" })).toBe("***");
    expect(maskBody(Buffer.from("{"), keeps("createProject"), world)).toBe("***");
    expect(maskBody(Buffer.alloc(0), keeps("createProject"), world)).toBeUndefined();
  });
});
