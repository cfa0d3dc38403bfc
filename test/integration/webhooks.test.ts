/** Deliveries of the platform wake what they are about, and prove themselves first. Polls are too slow to help. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import type { Webhook } from "../../simulator/model/world.ts";
import { member } from "../../src/kube/api/json.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { blueprint, COMMIT, defaults, deploying, NEXT_COMMIT, resource, tree } from "../support/kube/manifests.ts";
import { adminOf } from "../support/platform/client.ts";
import { freePort } from "../support/programs/free-port.ts";
import { surfaceOf } from "./fixture.ts";
import { stagedApplications } from "./staged-applications.ts";

const HOUR_MS = 3_600_000;
/** Nothing but a change in the cluster or a delivery has anything looked at that is settled, or soon if it is not. */
const SLOW = { pollMs: HOUR_MS, firstLookMs: HOUR_MS, followMinMs: 15_000, followMaxMs: 15_000, deliveryGapMs: 200 };

const EVENTS = {
  documented: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCEEDED", "DEPLOYMENT_FAILED"],
  full: ["DEPLOYMENT_STARTED", "DEPLOYMENT_SUCCESSFUL", "DEPLOYMENT_FAILURE", "DEPLOYMENT_CANCELLED"],
} as const;
const ports = { documented: await freePort(), full: await freePort() };

describe.each(["documented", "full"] as const)("the receiver of the platform's deliveries, %s surface", (surface) => {
  const [, success] = EVENTS[surface];
  const receiver = `http://127.0.0.1:${String(ports[surface])}`;
  const env = createEnv({
    surface,
    windows: SLOW,
    args: [`--webhook-bind-address=127.0.0.1:${String(ports[surface])}`, `--webhook-url=${receiver}/deliveries`],
  });
  const apps = stagedApplications(env);

  const hook = (): Webhook => {
    const [only, ...others] = env.platform.world().webhooks.values();
    if (only === undefined || others.length > 0) throw new Error(`there are ${String(others.length)} other webhooks`);
    return only;
  };
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(url, { method: "POST", body: JSON.stringify(body), headers })).status;
  /** The header with which the platform proves its deliveries. */
  const proof = (): Record<string, string> => {
    const secret = hook().settings["target_secret"];
    return typeof secret === "string" ? { "platform-secret": secret } : {};
  };
  const idOf = (): string => [...env.platform.world().services.values()].find(({ name }) => name === "web")?.id ?? "";
  const counted = async (labels: string): Promise<number> => {
    const lines = (await metricsOf(env.operator)).split("\n");
    const line = lines.find((one) => one.startsWith(`platform_operator_webhook_deliveries_total{${labels}}`));
    return Number(line?.split(" ").at(-1) ?? 0);
  };

  beforeAll(async () => {
    const known = { surface: surfaceOf(env) };
    await env.apply(...defaults(env, known), resource("PlatformWebhook", "operator", { receiver: true }));
    await env.waitFor("PlatformWebhook", "operator", { status: "True" });
  });

  it("reconciles an application at once when a delivery names it, from its first deployment on", async () => {
    await env.apply(...tree(env, "web"));
    await apps.deployed("web", COMMIT);
    expect(hook().events).toEqual(EVENTS[surface]);
    await env.settled();
    const record = await env.record();
    await env.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    await apps.deployed("web", NEXT_COMMIT);
    expect(record.changes()).toEqual(["deployApplication"]);
    expect(await counted(`event="${success}",result="queued"`)).toBeGreaterThan(0);
    const secrets = hook().settings["target_secret"];
    expect(typeof secrets).toBe(surface === "full" ? "string" : "undefined");
  });

  it("reconciles an application at once that somebody else deployed on the platform", async () => {
    await env.settled();
    const record = await env.record();
    const id = idOf();
    // Nothing else has the operator look: its polls are an hour apart.
    const looked = () => record.calls(surface === "full" ? "getEnvironmentStatuses" : "getApplicationStatus").length;
    expect(looked()).toBe(0);
    const other = adminOf(env.platform);
    await other.applications.deploy(id, NEXT_COMMIT);
    await other.close();
    await vi.waitFor(() => expect(looked()).toBeGreaterThan(0), { interval: 50, timeout: 20_000 });
    await env.settled();
    expect(record.changes(), "the other's").toEqual(["deployApplication"]);
    const delivered = env.platform.sim.deliveries.list().filter(({ ended }) => ended === 200);
    expect(delivered.map(({ event }) => event)).toContain("DEPLOYMENT_STARTED");
    expect(await counted('event="DEPLOYMENT_STARTED",result="queued"')).toBeGreaterThan(0);
  });

  // On the platform a blueprint is a service under another id, and a delivery names the service.
  it.runIf(surface === "full")("reconciles a blueprint at once when a delivery names its service", async () => {
    await env.apply(blueprint("cache", "web"));
    const object = await env.waitFor("PlatformBlueprint", "cache", { status: "True", reason: "Deployed" }, 60_000);
    const id = member(object.status, "serviceId");
    expect(id).not.toBe(member(object.status, "externalId"));
    await env.settled();
    const record = await env.record();
    expect(await post(hook().targetUrl, { event_type: success, payload: { helms: [{ id }] } }, proof())).toBe(200);
    const looked = () => record.calls("getEnvironmentStatuses").length;
    await vi.waitFor(() => expect(looked()).toBeGreaterThan(0), { interval: 50, timeout: 20_000 });
    await env.settled();
    expect(record.changes()).toEqual([]);
  });

  it("[E12] rejects a delivery to an invalid path, and ignores one about an unknown event or an unknown object", async () => {
    const record = await env.record();
    const body = { event_type: success, payload: { application_id: idOf() } };
    const url = new URL(hook().targetUrl);
    expect(url.pathname).toMatch(new RegExp(`^/deliveries/${env.namespace}/operator/[-_A-Za-z0-9]{22}$`));
    const guess = url.pathname.replace(/.{22}$/, "0".repeat(22));
    expect(await post(`${receiver}${guess}`, body, proof())).toBe(401);
    expect(await post(`${receiver}/deliveries`, body, proof())).toBe(401);
    const another = url.pathname.replace("/operator/", "/another/");
    expect(await post(`${receiver}${another}`, body, proof())).toBe(401);
    expect(await post(url.href, { event_type: "SURPRISE" }, proof())).toBe(200);
    const aboutOthers = { event_type: success, payload: { application_id: env.platform.organizationId } };
    expect(await post(url.href, aboutOthers, proof())).toBe(200);
    expect(record.changes()).toEqual([]);
    expect(await counted('event="none",result="rejected"')).toBeGreaterThan(2);
    expect(await counted('event="other",result="ignored"')).toBe(1);
  });

  // A platform that offers only its specification is not given the secret, so it cannot send it.
  const unproven = surface === "full" ? 401 : 200;

  it.each(["platform-signature", "platform-secret", "x-platform-signature", "x-secret", "authorization"])(
    "[E12] rejects a wrong secret in the header %s, if the platform was given the secret",
    async (header) => {
      const other = { event_type: success, payload: { application_id: env.platform.organizationId } };
      expect(await post(hook().targetUrl, other, { [header]: "guess" })).toBe(unproven);
    },
  );

  it("[E12] rejects a delivery without a secret, if the platform was given the secret", async () => {
    const other = { event_type: success, payload: { application_id: env.platform.organizationId } };
    expect(await post(hook().targetUrl, other)).toBe(unproven);
  });

  it("[E12] accepts deliveries with the secret after a restart, and rejects them without it as before", async () => {
    await env.restart();
    const other = { event_type: success, payload: { application_id: env.platform.organizationId } };
    // Until the connection was read, there is no path that could be proven.
    const taken = async () => expect(await post(hook().targetUrl, other, proof())).toBe(200);
    await vi.waitFor(taken, { interval: 500, timeout: 15_000 });
    expect(await post(hook().targetUrl, other)).toBe(unproven);
  });

  it("[E12] reconciles an application only a few times during a flood of deliveries about it", async () => {
    await env.settled();
    const record = await env.record();
    const body = { event_type: success, payload: { application_id: idOf(), applications: [{ id: idOf() }] } };
    const { targetUrl } = hook();
    const startedAt = performance.now();
    // Some may not even be answered.
    const answers = (url: string, length: number) =>
      Promise.all(Array.from({ length }, () => post(url, body, proof()).catch(() => 0)));
    const taken = (await answers(targetUrl, effort.cases(300, 1_000))).filter((status) => status !== 0);
    expect(new Set(taken), "every genuine delivery is taken").toEqual(new Set([200]));
    const guessed = await answers(`${receiver}/x`, 100);
    expect(guessed.filter((status) => status === 401).length).toBeLessThan(50);
    expect((await fetch(`${env.operator.healthUrl}/healthz`)).status).toBe(200);
    await env.settled();
    const looks = record.calls("getApplicationStatus").length + record.calls("getEnvironmentStatuses").length;
    expect(looks).toBeLessThanOrEqual((performance.now() - startedAt) / SLOW.deliveryGapMs + 2);
    expect(record.changes()).toEqual([]);
  });
});
