/** What the operator reports during an outage of the platform. */
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Surface } from "../../simulator/base/operations.ts";
import type { FaultInput } from "../../simulator/request/faults.ts";
import { wasListed } from "../../src/engine/contract/status.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { calm, expectSettled, versions } from "../support/env/settling.ts";
import { application, connection, defaults, deploying, project, secret, tree } from "../support/kube/manifests.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";

/** The answer to every call of the platform, and the connection's expected reason and message. */
type Outage = readonly [what: string, answer: FaultInput["answer"], reason: string, message: RegExp];

const SETTINGS: readonly { surface: Surface; pathPrefix: string; outages: readonly Outage[] }[] = [
  {
    surface: "documented",
    pathPrefix: "",
    outages: [
      ["500", { is: "status", status: 500 }, "PlatformUnavailable", /listProjects with 500/],
      ["malformed JSON", { is: "malformed" }, "UnexpectedResponse", /listProjects/],
      ["silence", { is: "silence" }, "PlatformUnreachable", /cannot be reached/],
    ],
  },
  {
    surface: "full",
    pathPrefix: "/api/v1",
    outages: [
      ["503", { is: "status", status: 503 }, "PlatformUnavailable", /listProjects with 503/],
      ["HTML", { is: "html" }, "UnexpectedResponse", /listProjects/],
      [
        "a page of a firewall",
        { is: "html", status: 403 },
        "UnexpectedResponse",
        /firewall or proxy answered listProjects/,
      ],
      ["a reset", { is: "reset" }, "PlatformUnreachable", /cannot be reached/],
      ["slow answers", { is: "slow", seconds: 6 }, "PlatformUnreachable", /cannot be reached/],
    ],
  },
];

async function expectWaiting(env: Env, name: string, because: string): Promise<void> {
  const object = await env.waitFor("PlatformApplication", name, { status: "False", reason: "ConnectionNotReady" });
  expect(condition(object, "Ready")?.message).toBe(
    `Waiting for PlatformConnection "${env.namespace}/default" (reason ${because}).`,
  );
  expect(condition(object, "Reconciling")).toMatchObject({ status: "True", reason: "Progressing" });
  expect(condition(object, "Stalled")).toBeUndefined();
}

describe.each(effort.few(SETTINGS))(
  '[C9] a failure of the platform, $surface surface, prefix "$pathPrefix"',
  (setting) => {
    const { surface, pathPrefix, outages } = setting;
    // Statuses are delayed less than usual; reads end in time for a platform that does not answer.
    const env = createEnv({ surface, windows: { deferMs: 1_000 }, deadlines: { readMs: 3_000 } });

    beforeAll(async () => {
      await env.apply(...defaults(env, { pathPrefix }), ...tree(env, "steady"), ...tree(env, "moving"));
      await expectSettled(env, "steady");
      await expectSettled(env, "moving");
    });

    beforeEach(() => calm(env));

    afterEach(() => {
      env.platform.sim.faults.clear();
    });

    it.each(effort.few(outages))(
      "is reported once, in the status of the connection, and resources that wait continue afterwards: %s",
      async (what, answer, reason, message) => {
        const before = await versions(env, "steady");
        const late = what.toLowerCase().replaceAll(" ", "-");
        const record = await env.record();
        env.platform.sim.faults.add({ name: what, answer, count: null });

        const failing = await env.waitFor("PlatformConnection", "default", { type: "Synced", status: "False" }, 40_000);
        expect(condition(failing, "Synced")).toMatchObject({ reason, message: expect.stringMatching(message) });
        await env.apply(application(late, "moving"));
        await env.patch("PlatformApplication", "moving", deploying(Buffer.from(what.padEnd(12)).toString("hex")));
        await expectWaiting(env, late, reason);
        await expectWaiting(env, "moving", reason);
        // Longer than the poll interval of settled objects, and than the delay of a status.
        await sleep(2_000);
        expect(await versions(env, "steady")).toEqual(before);
        expect(record.changes()).toEqual([]);

        env.platform.sim.faults.clear();
        await env.waitFor("PlatformConnection", "default", { type: "Synced", status: "True" });
        await env.waitFor("PlatformApplication", late, { status: "True" });
        await env.waitFor("PlatformApplication", "moving", { status: "True" });
        expect(record.changes().toSorted()).toEqual(["createApplication", "deployApplication", "deployApplication"]);
        expect(await versions(env, "steady")).toEqual(before);
        expect((await record.writes()).objects.filter(({ name }) => name === "default")).toHaveLength(2);
      },
      90_000,
    );

    it("is reported when the operator cannot connect, and no longer when it can connect again", async () => {
      const proxy = await tcpProxy(Number(new URL(env.platform.url).port));
      const baseUrl = `http://127.0.0.1:${proxy.port}`;
      await env.apply(
        secret("cut", { token: env.platform.tokens.admin }),
        connection(env, "cut", { baseUrl, pathPrefix }),
        project("cut", { connectionRef: { name: "cut" } }),
      );
      await env.waitFor("PlatformProject", "cut", { status: "True" });
      // The first look after the create notes that a list has shown the project.
      const before = await env.waitFor("PlatformProject", "cut", wasListed);
      await proxy.stop();
      const failing = await env.waitFor("PlatformConnection", "cut", { type: "Synced", status: "False" });
      expect(condition(failing, "Synced")).toMatchObject({ reason: "PlatformUnreachable" });
      await sleep(3_500);
      const after = await env.get("PlatformProject", "cut");
      expect(after).toEqual(before);
      const again = await tcpProxy(Number(new URL(env.platform.url).port), proxy.port);
      await env.waitFor("PlatformConnection", "cut", { type: "Synced", status: "True" });
      await again.stop();
    });
  },
);

describe("[C9] a settled object whose connection fails for long", () => {
  const env = createEnv({ surface: "documented", windows: { outageMs: 1_500, staleMs: 2_500 } });

  it("reports Synced=False while its Ready stays, is neither Reconciling nor Stalled, and its connection is not Ready", async () => {
    await env.ready(...defaults(env), project("old"));
    env.platform.sim.faults.add({ answer: { is: "status", status: 503 }, count: null });
    const stale = await env.waitFor("PlatformProject", "old", { type: "Synced", status: "False" });
    expect(condition(stale, "Ready")).toMatchObject({ status: "True", reason: "Available" });
    expect(condition(stale, "Synced")).toMatchObject({
      reason: "ConnectionNotReady",
      message: `Waiting for PlatformConnection "${env.namespace}/default" (reason PlatformUnavailable).`,
    });
    expect(condition(stale, "Reconciling")).toBeUndefined();
    expect(condition(stale, "Stalled")).toBeUndefined();
    const down = await env.waitFor("PlatformConnection", "default", { status: "False" });
    expect(condition(down, "Ready")).toMatchObject({ reason: "PlatformUnreachable" });
    expect(condition(down, "Synced")).toMatchObject({ status: "False", reason: "PlatformUnavailable" });
    env.platform.sim.faults.clear();
    await env.waitFor("PlatformProject", "old", { type: "Synced", status: "True" });
    await env.waitFor("PlatformConnection", "default", { status: "True", reason: "Available" });
  });
});

describe("kubectl get alone, in 120 columns, tells", () => {
  const env = createEnv({ surface: "documented" });
  const line = async (kind: string, name: string): Promise<string> => {
    const table = await env.kubectl(["get", kind, name]);
    return (table.trimEnd().split("\n").at(-1) ?? "").slice(0, 120);
  };

  it("that the platform rejects the token of which Secret", async () => {
    await env.apply(secret("wrong", { token: "wrong" }), connection(env, "wrong"));
    await env.waitFor("PlatformConnection", "wrong", { status: "False", reason: "CredentialsInvalid" });
    expect(await line("pconn", "wrong")).toMatch(
      /^wrong +False +CredentialsInvalid .* The platform rejected the token from Secret "wrong"/,
    );
  });

  it("which commit does not build, and which commit runs on", async () => {
    await env.ready(...defaults(env), ...tree(env, "shop"));
    await env.patch("PlatformApplication", "shop", deploying("bad0c0d0000000000000000000000000000000ad"));
    await env.waitFor("PlatformApplication", "shop", { type: "Stalled", status: "True", reason: "BuildFailed" });
    expect(await line("papp", "shop")).toMatch(
      /^shop +False +BuildFailed +BUILD_ERROR +0123456 +\d+\w+ +\d+\w+ +The platform reports BUILD_ERROR for commit bad0c0d/,
    );
  });

  it("which parent is missing", async () => {
    await env.apply(application("api", "stagin"));
    await env.waitFor("PlatformApplication", "api", { status: "False", reason: "ParentNotFound" });
    expect(await line("papp", "api")).toMatch(
      /^api +False +ParentNotFound .* PlatformEnvironment "stagin" does not exist in namespace/,
    );
  });
});
