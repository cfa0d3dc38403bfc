import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, control, type Answer } from "../../test/support/env/simulated-platform.ts";
import { operations, type Operation } from "../base/operations.ts";
import { startSimulator, type Simulator } from "../simulator.ts";

/** Operations by their permission, as documented: Write creates, updates, deletes, imports. */
const needs: readonly (readonly [RegExp, Operation["needs"]])[] = [
  [/^POST .*\/(deploy|stop|upgrade|restart-service|cancelDeployment)$/, "deploy"],
  [/^POST .*\/helmDefaultValues$/, "read"],
  [/^(POST|PUT|DELETE) /, "write"],
  [/^GET /, "read"],
];

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ surface: "full", speed: "instant", seed: "auth" });
  await control(simulator, "PATCH /settings", { profile: { errorText: "message" } });
});
afterAll(() => simulator.close());

const someId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const projects = (): string => `GET /organization/${simulator.organizationId}/project`;

describe("scopes", () => {
  it.each(operations)("$id needs the documented permission", ({ method, path, needs: need }) => {
    expect(need).toBe(needs.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1]);
  });

  it("accept a token with Write and Deploy for a blueprint that is deployed at once", async () => {
    const request = `POST /environment/${someId}/blueprint?deploy=true`;
    const blueprint = { name: "db", tag: "redis/3.0.0", icon: "https://example.com/icon.png" };
    await control(simulator, "POST /tokens", { name: "both", scopes: ["Write", "Deploy"], value: "write-and-deploy" });
    expect((await call(simulator, request, blueprint, "Token write-and-deploy")).status).toBe(404);
  });
});

describe("schemes", () => {
  const expectUnauthorized = (answer: Answer): void => {
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ status: 401, error: "Unauthorized", message: expect.any(String) });
  };

  it.each(["Token", "Bearer", "token", "BEARER"])("accept API tokens under %s", async (scheme) => {
    expect((await call(simulator, projects(), undefined, `${scheme} ${simulator.tokens.read}`)).status).toBe(200);
  });

  it("refuse JWTs under Token, and those with a wrong signature", async () => {
    const { body } = await control(simulator, "POST /jwts", { expiresInSeconds: 60 });
    const { token }: { token: string } = body;
    expect((await call(simulator, projects(), undefined, `Bearer ${token}`)).status).toBe(200);
    expectUnauthorized(await call(simulator, projects(), undefined, `Token ${token}`));
    expectUnauthorized(await call(simulator, projects(), undefined, `Bearer ${token.slice(0, -2)}xx`));
  });

  it.each([null, "", "Token", "Basic abc", "Token nonsense", "Bearer a.b.c"])("refuse %j", async (header) => {
    expectUnauthorized(await call(simulator, projects(), undefined, header));
  });
});

describe("tokens of a running platform", () => {
  it("can lose scopes, expire and be revoked", async () => {
    const request = `POST /organization/${simulator.organizationId}/project`;
    const created = await control(simulator, "POST /tokens", { name: "robot", scopes: ["Write"] });
    const { value }: { value: string } = created.body;
    const status = async (name: string): Promise<number> =>
      (await call(simulator, request, { name }, `Token ${value}`)).status;
    expect(await status("one")).toBe(200);
    await control(simulator, "PATCH /tokens/robot", { scopes: ["Read"] });
    expect(await status("two")).toBe(403);
    await control(simulator, "PATCH /tokens/robot", { scopes: ["Admin"], expiresAt: "2020-01-01" });
    expect(await status("three")).toBe(401);
    await control(simulator, "PATCH /tokens/robot", { expiresAt: null });
    expect(await status("four")).toBe(200);
    await control(simulator, "DELETE /tokens/robot");
    expect(await status("five")).toBe(401);
  });
});
