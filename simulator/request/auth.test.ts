import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, control, type Answer } from "../../test/support/env/simulated-platform.ts";
import { operations, type Operation } from "../base/operations.ts";
import { startSimulator, type Simulator } from "../simulator.ts";

/** The tokens that are accepted, by the permission that an operation needs. */
const allowed: Readonly<Record<Operation["needs"], readonly string[]>> = {
  read: ["admin", "read", "deploy", "write"],
  write: ["admin", "write"],
  deploy: ["admin", "deploy"],
};
/** Operations by their permission, as documented: Write creates, updates, deletes, imports. */
const needs: readonly (readonly [RegExp, Operation["needs"]])[] = [
  [/^POST .*\/(deploy|stop|upgrade|restart-service|cancelDeployment)$/, "deploy"],
  [/^POST .*\/helmDefaultValues$/, "read"],
  [/^(POST|PUT|PATCH|DELETE) /, "write"],
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

async function jwt(expiresInSeconds: number): Promise<string> {
  const { body } = await control(simulator, "POST /jwts", { expiresInSeconds });
  const { token }: { token: string } = body;
  return token;
}

describe("the scopes of tokens", () => {
  it.each(operations)("$id accepts exactly the tokens that the documentation says", async ({ method, path, ...of }) => {
    const [, need] = needs.find(([pattern]) => pattern.test(`${method} ${path}`))!;
    expect(of.needs).toBe(need);
    const request = `${method} ${path.replaceAll(/\{\w+\}/g, someId)}`;
    const answers: [string, Answer][] = [];
    for (const scope of ["admin", "read", "deploy", "write"] as const) {
      answers.push([scope, await call(simulator, request, undefined, `Token ${simulator.tokens[scope]}`)]);
    }
    const refused = answers.filter(([, { status }]) => status === 403).map(([, { body }]): unknown => body);
    const message = `The token lacks the permission to ${need}`;
    expect(refused).toEqual(refused.map(() => ({ status: 403, error: "Forbidden", message })));
    const through = answers.filter(([, { status }]) => status !== 403).map(([scope]) => scope);
    expect(through).toEqual(allowed[need]);
  });

  it("allow the creation and deployment of a blueprint only with Write and Deploy together", async () => {
    const request = `POST /environment/${someId}/blueprint?deploy=true`;
    const blueprint = { name: "db", tag: "redis/3.0.0", icon: "https://example.com/icon.png" };
    await control(simulator, "POST /tokens", { name: "both", scopes: ["Write", "Deploy"], value: "write-and-deploy" });
    expect((await call(simulator, request, blueprint, `Token ${simulator.tokens.write}`)).status).toBe(403);
    expect((await call(simulator, request, blueprint, `Token ${simulator.tokens.deploy}`)).status).toBe(403);
    expect((await call(simulator, request, blueprint, "Token write-and-deploy")).status).toBe(404);
  });

  it("are limited to the organization of the token", async () => {
    const answer = await call(simulator, projects(), undefined, `Token ${simulator.tokens.foreign}`);
    expect(answer.status).toBe(403);
  });
});

describe("the schemes of the Authorization header", () => {
  const expectUnauthorized = (answer: Answer): void => {
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ status: 401, error: "Unauthorized", message: expect.any(String) });
  };

  it.each(["Token", "Bearer", "token", "BEARER"])("include %s for API tokens", async (scheme) => {
    expect((await call(simulator, projects(), undefined, `${scheme} ${simulator.tokens.read}`)).status).toBe(200);
  });

  it("include only Bearer for JWTs, until they expire", async () => {
    const token = await jwt(60);
    expect((await call(simulator, projects(), undefined, `Bearer ${token}`)).status).toBe(200);
    expectUnauthorized(await call(simulator, projects(), undefined, `Token ${token}`));
    expectUnauthorized(await call(simulator, projects(), undefined, `Bearer ${await jwt(-1)}`));
    expectUnauthorized(await call(simulator, projects(), undefined, `Bearer ${token.slice(0, -2)}xx`));
  });

  it.each([null, "", "Token", "Basic abc", "Token nonsense", "Bearer a.b.c"])("do not include %j", async (header) => {
    expectUnauthorized(await call(simulator, projects(), undefined, header));
  });

  it("include only Token for the list of git repositories", async () => {
    const request = `GET /organization/${simulator.organizationId}/account/github/repository`;
    expect((await call(simulator, request)).status).toBe(200);
    expectUnauthorized(await call(simulator, request, undefined, `Bearer ${simulator.tokens.admin}`));
    expectUnauthorized(await call(simulator, request, undefined, `Bearer ${await jwt(60)}`));
  });
});

it("a token of a running platform can lose scopes, expire and be revoked", async () => {
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
