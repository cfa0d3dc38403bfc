/**
 * Settings that were not sent yet: the full surface gets them; those that the documented surface cannot change are
 * reported, and hold nothing else back.
 */
import { beforeAll, describe, expect, inject, it } from "vitest";

import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, eventsOf, idOf } from "../support/env/settling.ts";
import {
  application,
  blueprint,
  database,
  deploying,
  environment,
  NEXT_COMMIT,
  resource,
} from "../support/kube/manifests.ts";
import { commandsIn, ON_LOOPBACK } from "../support/programs/cli.ts";
import { fixture } from "./fixture.ts";

const TYPE = "SettingsSynced";

const env = createEnv({ surface: "documented" });

beforeAll(() => fixture(env));

/** Changes a spec, and waits until the condition reports that the platform cannot change it. */
async function edit(kind: string, name: string, spec: JsonObject): Promise<KubeObject> {
  await env.patch(kind, name, { spec });
  return env.waitFor(kind, name, { type: TYPE, status: "False", reason: "UpdateNotSupported" });
}

const isReady = (object: KubeObject): string => condition(object, "Ready")?.status ?? "absent";

describe("an application whose cpu changed, where the platform cannot change it", () => {
  const KIND = "PlatformApplication";
  const NAME = "edited";

  beforeAll(async () => {
    await env.ready(application(NAME, "staging", { cpu: 500 }));
  });

  it("stays Ready, and its conditions and an event name the setting", async () => {
    const object = await edit(KIND, NAME, { cpu: 750 });
    expect(isReady(object)).toBe("True");
    expect(condition(object, "Stalled")).toBeUndefined();
    expect(condition(object, TYPE)?.message).toContain("spec.cpu");
    await calm(env);
    expect(await eventsOf(env, NAME, "UpdateNotSupported")).toEqual([
      `Warning ${KIND}: ${condition(object, TYPE)?.message}`,
    ]);
  });

  it("is not written again by later reconciles", async () => {
    await env.annotate(KIND, NAME, { "platform-operator.io/reconcile-requested-at": "1" });
    await calm(env);
    const { resourceVersion } = (await env.get(KIND, NAME)).metadata;
    await env.quiet(3);
    expect((await env.get(KIND, NAME)).metadata.resourceVersion).toBe(resourceVersion);
  });

  it("has the reason in a column of kubectl get", async () => {
    expect(await env.kubectl(["get", "papp", NAME, "-o", "wide"])).toMatch(/SETTINGS .*\n.* UpdateNotSupported /);
  });

  it("is planned with a deployment of the new commit, and with the setting that is not sent", async () => {
    const call = commandsIn(env, inject("controlPlane").kubeconfigPath, ...ON_LOOPBACK);
    const next = application(NAME, "staging", { cpu: 750, deploy: { gitCommitId: NEXT_COMMIT } });
    const planned = await call(["plan", "-f", "-"], { stdin: JSON.stringify(next) });
    const lines = planned.stdout.replaceAll(/\n +/g, " ");
    expect(lines).toMatch(/^papp\/edited +deploy +UpdateNotSupported: .* Not changed there: spec\.cpu; /m);
    expect(planned.code).toBe(2);
  });

  it("deploys a new commit", async () => {
    await env.patch(KIND, NAME, deploying(NEXT_COMMIT));
    await env.waitFor(KIND, NAME, { type: "UpToDate", status: "True" });
    const object = await env.waitFor(KIND, NAME, { status: "True" });
    expect(object.status).toMatchObject({ commit: NEXT_COMMIT.slice(0, 7) });
    expect(condition(object, TYPE)).toMatchObject({ status: "False" });
  });

  it("gets a new variable", async () => {
    const record = await env.record();
    await env.patch(KIND, NAME, { spec: { variables: [{ name: "LOG_LEVEL", value: "debug" }] } });
    await env.waitFor(KIND, NAME, { type: "VariablesSynced", status: "True" });
    await env.waitFor(KIND, NAME, { status: "True" });
    expect(record.changes()).toEqual(["importEnvironmentVariable", "deployApplication"]);
  });

  it("loses the condition without a request once the setting is changed back", async () => {
    const record = await env.record();
    await env.patch(KIND, NAME, { spec: { cpu: 500 } });
    const object = await env.waitFor(KIND, NAME, (one) => condition(one, TYPE) === undefined);
    expect(isReady(object)).toBe("True");
    await calm(env);
    expect(record.changes()).toEqual([]);
  });
});

it("a database whose memory the platform cannot change is still stopped", async () => {
  await env.ready(database("edited-db", "staging", { memory: 512 }));
  await edit("PlatformDatabase", "edited-db", { memory: 1024 });
  const record = await env.record();
  await env.patch("PlatformDatabase", "edited-db", { spec: { runState: "Stopped" } });
  const object = await env.waitFor("PlatformDatabase", "edited-db", { status: "True", reason: "Stopped" });
  expect(record.changes()).toEqual(["stopDatabase"]);
  expect(condition(object, TYPE)?.message).toContain("spec.memory");
});

it("a blueprint whose icon the platform cannot change keeps its Ready condition", async () => {
  await env.apply(blueprint("edited-cache", "staging"));
  const before = await env.waitFor("PlatformBlueprint", "edited-cache", { reason: "NotObservable" });
  const object = await edit("PlatformBlueprint", "edited-cache", { icon: "https://icons.example.com/other.svg" });
  expect(condition(object, "Ready")?.reason).toBe(condition(before, "Ready")?.reason);
  expect(condition(object, TYPE)?.message).toContain("spec.icon");
});

describe("a project whose description changed, where the platform cannot change it", () => {
  it("stays Ready, and new environments are created in it", async () => {
    const object = await edit("PlatformProject", "shop", { description: "Shop of the team." });
    expect(isReady(object)).toBe("True");
    await env.ready(environment(env, "edited-env", "shop"));
  });

  it("loses the condition once the description is changed on the platform", async () => {
    const id = idOf(await env.get("PlatformProject", "shop"));
    const project = env.platform.world().projects.get(id);
    if (project !== undefined) project.description = "Shop of the team.";
    await env.annotate("PlatformProject", "shop", { "platform-operator.io/reconcile-requested-at": "1" });
    const object = await env.waitFor("PlatformProject", "shop", (one) => condition(one, TYPE) === undefined);
    expect(condition(object, "Drifted")).toMatchObject({ status: "False" });
  });
});

it("an environment whose mode the platform cannot change stays Ready, and applications are created in it", async () => {
  const object = await edit("PlatformEnvironment", "staging", { mode: "STAGING" });
  expect(isReady(object)).toBe("True");
  await env.ready(application("in-edited", "staging"));
});

it("a webhook whose events the platform cannot change stays Ready, and the condition names the setting", async () => {
  const spec = { targetUrl: "https://hooks.example.com/x", events: ["DEPLOYMENT_STARTED"] };
  await env.ready(resource("PlatformWebhook", "edited-hook", spec));
  const object = await edit("PlatformWebhook", "edited-hook", { events: ["DEPLOYMENT_FAILED"] });
  expect(isReady(object)).toBe("True");
  expect(condition(object, TYPE)?.message).toContain("spec.events");
});

describe("an application whose spec gets settings that it never had, on the full surface", () => {
  const whole = createEnv({ surface: "full" });
  const KIND = "PlatformApplication";
  const NAME = "growing";
  const probe = { type: { tcp: { port: 8080 } }, period_seconds: 10 };
  const disk = { mountPoint: "/data", size: 10 };
  const settings = async () => {
    const service = whole.platform.world().services.get(idOf(await whole.get(KIND, NAME)));
    return service?.settings ?? {};
  };

  beforeAll(async () => {
    await fixture(whole);
    const spec = { ports: [{ internalPort: 8080 }], healthchecks: { readiness_probe: probe }, storage: [disk] };
    await whole.ready(application(NAME, "staging", spec));
  });

  it.each<[string, JsonObject, object]>([
    ["an entry point", { entrypoint: "/app" }, { entrypoint: "/app" }],
    ["the name of a port", { ports: [{ internalPort: 8080, name: "http" }] }, { ports: [{ name: "http" }] }],
    [
      "another health check",
      { healthchecks: { readiness_probe: probe, liveness_probe: probe } },
      { healthchecks: { liveness_probe: probe } },
    ],
  ])("is updated and deployed once: %s", async (_what, spec, expected) => {
    const record = await whole.record();
    await whole.patch(KIND, NAME, { spec });
    await whole.waitFor(KIND, NAME, { status: "True" });
    await calm(whole);
    expect(record.changes()).toEqual(["updateApplication", "deployApplication"]);
    expect(await settings()).toMatchObject(expected);
  });

  it("keeps its disk, with another size", async () => {
    const before = await settings();
    await whole.patch(KIND, NAME, { spec: { storage: [{ ...disk, size: 20 }] } });
    await whole.waitFor(KIND, NAME, { status: "True" });
    const [kept] = before["storage"] as readonly [{ readonly id: string }];
    expect(await settings()).toMatchObject({ storage: [{ id: kept.id, mount_point: "/data", size: 20 }] });
  });
});
