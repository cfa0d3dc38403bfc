import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { changeSettings } from "../../simulator/base/settings.ts";
import type { SettingsChange } from "../../simulator/base/settings.ts";
import type { CallRecord } from "../../src/platform/client/caller.ts";
import { operations } from "../../src/platform/codec/operations.ts";
import { failureOf } from "../support/platform/client.ts";
import { startHarness } from "../support/platform/env.ts";
import type { World } from "../support/platform/env.ts";
import { casesOf, documented, full } from "../support/platform/operations.ts";
import type { Need } from "../support/platform/operations.ts";

let harness: World;

const use = (surface: "documented" | "full", prefix = "") => {
  beforeAll(async () => {
    harness = await startHarness(surface, prefix);
  });
  afterAll(() => harness.close());
};

/** "success", or what went wrong. */
const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "success",
    (error: unknown) => error,
  );

const change = (settings: SettingsChange) => changeSettings(harness.simulator.sim.settings, settings);

it("calls every operation", () => {
  expect(casesOf({ ...documented, ...full }).map(([name]) => name)).toEqual(Object.keys(operations));
});

describe.each([
  // The scopes below go without a prefix through the full surface.
  ["documented", ""],
  ["full", "/api/v1"],
] as const)("the %s surface under %j", (surface, prefix) => {
  use(surface, prefix);

  it.each(casesOf(surface === "full" ? { ...documented, ...full } : documented))(
    "%s succeeds",
    async (name, { call }) => {
      const calls: CallRecord[] = [];
      const platform = harness.connect({ onCall: (record) => calls.push(record) });
      await call(platform, harness);
      expect(calls.at(-1)).toMatchObject({ operation: name, sent: true, failure: undefined });
      expect(calls.at(-1)?.status).toBeLessThan(300);
      expect(harness.calls().filter(({ path }) => !path.startsWith(prefix))).toEqual([]);
    },
  );
});

describe("every operation of the spec with the partial and null members of deployed services", () => {
  use("documented");

  it.each(casesOf(documented))("%s succeeds", async (_name, { call }) => {
    change({
      nullRequestIds: false,
      profile: { statusCodes: "public", records: "public", routerKey: "routerId", applicationStatus: "partial" },
    });
    expect(await outcomeOf(call(harness.admin, harness))).toBe("success");
  });

  it("a deployment without a request id", async () => {
    change({ nullRequestIds: true });
    const status = await harness.admin.applications.deploy(harness.applicationId, "abcdef1");
    expect(status).toMatchObject({ id: harness.applicationId });
    expect(status?.deploymentRequestId).toBeUndefined();
  });
});

describe("the documented surface alone", () => {
  use("documented");

  // updateDatabase reads the database first, which is lacking, too.
  it.each(casesOf(full).filter(([name]) => name !== "updateDatabase"))("lacks %s", async (name, { call }) => {
    const error = await failureOf(call(harness.admin, harness));
    expect(["NotFound", "NotSupported"]).toContain(error.failure.is);
    expect(error.operation).toBe(name);
  });

  it("answers a method that it lacks with 405", async () => {
    const error = await failureOf(harness.admin.templates.binding(harness.clusterIds[0]));
    expect(error).toMatchObject({ failure: { is: "NotSupported" }, status: 405 });
  });
});

describe("401", () => {
  use("full");

  it.each(casesOf({ ...documented, ...full }))("%s with a token that is none", async (name, { call }) => {
    const error = await failureOf(call(harness.connect({ token: () => "no-such-token" }), harness));
    const failure = { is: "Unauthorized" };
    expect(error).toMatchObject({ operation: name, status: 401, failure, message: "Access token is invalid" });
  });

  const jwt = (seconds: number) =>
    harness.simulator.sim.auth.issueJwt(
      { subject: "ann", organizationId: harness.simulator.organizationId, scopes: ["Admin"] },
      seconds,
    );

  it.each(casesOf(documented).filter(([name]) => name !== "listGitRepositories"))(
    "%s with a JWT that has expired",
    async (_name, { call }) => {
      const error = await failureOf(call(harness.connect({ scheme: "Bearer", token: () => jwt(-1) }), harness));
      expect(error).toMatchObject({ status: 401, message: "Access token has expired" });
    },
  );

  it("not with one that is valid, nor with an API token as Bearer", async () => {
    for (const token of [jwt(60), harness.simulator.tokens.admin]) {
      expect(await harness.connect({ scheme: "Bearer", token: () => token }).projects.list()).not.toEqual([]);
    }
  });

  it("is the platform's own answer to a Bearer connection that asks for the git repositories", async () => {
    const error = await failureOf(harness.connect({ scheme: "Bearer" }).organization.gitRepositories());
    expect(error.failure).toEqual({ is: "Unauthorized" });
  });
});

describe.each<["read" | "write" | "deploy", readonly Need[]]>([
  ["read", ["read"]],
  ["write", ["read", "write"]],
  ["deploy", ["read", "deploy"]],
])("403 with the scope %s", (scope, allowed) => {
  use("full");

  const cases = casesOf({ ...documented, ...full });
  const connect = () => harness.connect({ token: () => harness.simulator.tokens[scope] });

  it.each(cases.filter(([, { needs }]) => allowed.includes(needs)))("not for %s", async (_name, { call }) => {
    expect(await outcomeOf(call(connect(), harness))).toBe("success");
  });

  it.each(cases.filter(([, { needs }]) => !allowed.includes(needs)))("for %s", async (name, { needs, call }) => {
    expect(await failureOf(call(connect(), harness))).toMatchObject({
      operation: name,
      status: 403,
      failure: { is: "Forbidden" },
      message: `The token lacks the permission to ${needs}`,
    });
  });

  it("for a blueprint that is deployed at once, which needs two", async () => {
    const platform = connect();
    const input = { name: harness.name(), tag: "redis/3.0.0", icon: "https://example.com/x.svg" };
    const error = await failureOf(platform.blueprints.create(harness.environmentId, input, { deploy: true }));
    expect(error.status).toBe(403);
  });
});

it("403 for a token of another organization", async () => {
  const other = await startHarness("documented", "");
  const error = await failureOf(other.connect({ token: () => other.simulator.tokens.foreign }).projects.list());
  expect(error).toMatchObject({ status: 403, failure: { is: "Forbidden" } });
  await other.close();
});

const INVALID = { is: "Invalid" };

describe.each(["message", "detail", "none"] as const)("the documented errors, in %s", (errorText) => {
  use("documented");

  const textOf = (message: string, phrase: string) => (errorText === "none" ? phrase : message);

  beforeAll(() => change({ profile: { errorText } }));

  it("400 for a catalog", async () => {
    const match = { operation: "listPlatformTemplates" };
    harness.simulator.sim.faults.add({ match, effect: "none", answer: { is: "status", status: 400 } });
    const message = textOf("Simulated failure", "Bad Request");
    expect(await failureOf(harness.admin.templates.list())).toMatchObject({ status: 400, failure: INVALID, message });
  });

  it.each([
    ["postgres/1.0.0", { engine_version: "1.9.8", cpu: "2" }, "cpu is not overridable in postgres/1.0.0"],
    ["postgres/1.0.0", {}, "engine_version is required for terraform blueprints"],
    ["bucket/2.1.0", { engine_version: "9" }, "engine_version must be one of 1.8.3 for bucket/2.1.0"],
  ])("422 for the blueprint %s with %j", async (tag, specOverrides, message) => {
    const input = { name: harness.name(), tag, icon: "https://example.com/x.svg", specOverrides };
    const error = await failureOf(harness.admin.blueprints.create(harness.environmentId, input, { deploy: false }));
    const said = textOf(`spec_overrides.${message}`, "Unprocessable Entity");
    expect(error).toMatchObject({ status: 422, failure: INVALID, message: said });
  });
});
