/** An organization moves from objects made by hand to custom resources, by kubectl's plugin. */
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";

import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { call, extendedOn } from "../support/env/simulated-platform.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { openBundle, type Bundle } from "../support/programs/bundle.ts";
import type { Ended } from "../support/programs/cli.ts";

const facts = inject("controlPlane");
const Made = z.object({ id: z.string() });
const APPLICATION = "PlatformApplication";
const DATABASE = "PlatformDatabase";

describe("the story of an organization that exists already", () => {
  const env = createEnv({ surface: "full" });
  let bundle: Bundle;
  let folder: string;
  const ids = { project: "", environment: "", web: "", api: "", orders: "" };

  const ask = async (args: readonly string[], input = ""): Promise<Ended> =>
    bundle.run(["kubectl", ...args, "-n", env.namespace], { KUBECONFIG: facts.kubeconfigPath }, input);
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await ask(args);
    expect(code, `kubectl ${args.join(" ")}: ${stderr}${stdout}`).toBe(0);
    return stdout;
  };
  const platform = async (...args: readonly string[]): Promise<string> =>
    kubectl("platform", ...args, "--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1");
  const states = (): Readonly<Record<string, string>> =>
    Object.fromEntries([...env.platform.world().services.values()].map(({ name, state }) => [name, state]));

  /** As people and scripts made it, without an operator. */
  beforeAll(async () => {
    bundle = await openBundle(facts.kubectlPath);
    folder = await mkdtemp(join(tmpdir(), "story-"));
    const authorization = `Token ${env.platform.tokens.admin}`;
    const post = async (path: string, body: object): Promise<unknown> => {
      const answer = await call(env.platform, `POST ${path}`, body, authorization);
      expect(answer.status, path).toBeLessThan(300);
      return answer.body;
    };
    const made = async (path: string, body: object): Promise<string> => Made.parse(await post(path, body)).id;
    ids.project = await made(`/organization/${env.platform.organizationId}/project`, { name: "Web Shop" });
    const place = { name: "Production", mode: "PRODUCTION", cluster_id: env.platform.clusterIds[0] };
    ids.environment = await made(`/project/${ids.project}/environment`, place);
    const { extended } = extendedOn(env.platform);
    for (const name of ["web", "api"] as const) {
      ids[name] = await made(`/environment/${ids.environment}/application`, {
        name,
        git_repository: {
          url: "https://github.com/acme/web.git",
          branch: "main",
          ...(extended && { provider: "GITHUB" }),
        },
        build_mode: "DOCKER",
        ...(extended && { healthchecks: {} }),
      });
      await post(`/application/${ids[name]}/deploy`, { git_commit_id: COMMIT });
    }
    const database = { name: "orders", type: "POSTGRESQL", mode: "MANAGED", version: "16", storage: 10 };
    ids.orders = await made(`/environment/${ids.environment}/database`, database);
    await post(`/database/${ids.orders}/deploy`, {});
    await vi.waitUntil(() => Object.values(states()).every((state) => state === "DEPLOYED"), 20_000);
    await env.ready(...defaults(env, { surface: "Full" }));
  });

  afterAll(async () => {
    await bundle.remove();
  });

  it("exports what exists, plans nothing, and adopts it with 0 writes to the platform", async () => {
    const record = await env.record();
    await platform("export", "--project", ids.project, "-o", folder);
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".yaml"))).not.toEqual([]);
    await platform("plan", "-f", folder, "-R");
    await kubectl("apply", "-R", "-f", folder);
    for (const kind of ["PlatformProject", "PlatformEnvironment", APPLICATION, DATABASE]) {
      for (const { metadata } of await env.list(kind)) await env.waitFor(kind, metadata.name, { status: "True" });
    }
    await env.settled();
    expect(record.changes()).toEqual([]);
    const tree = await kubectl("platform", "tree");
    for (const name of ["Web Shop", "production", "web", "api", "orders"]) {
      expect(tree.toLowerCase().replaceAll("-", " ")).toContain(name.toLowerCase());
    }
  });

  it("deploys one changed commit, shown by the plan before, and goes back", async () => {
    const record = await env.record();
    const web = await named(APPLICATION, ids.web);
    for (const commit of [NEXT_COMMIT, COMMIT]) {
      const manifest = JSON.parse(await kubectl("get", "papp", web, "-o", "json")) as { spec: { deploy: object } };
      Object.assign(manifest.spec.deploy, { gitCommitId: commit });
      const planned = await ask(["platform", "plan", "-f", "-", "--allow-insecure-platform"], JSON.stringify(manifest));
      expect(planned.code, planned.stderr).toBe(2);
      expect(planned.stdout).toContain(commit.slice(0, 7));
      await env.patch(APPLICATION, web, deploying(commit));
      await env.waitFor(APPLICATION, web, { status: "True" });
      expect(states()).toMatchObject({ web: "DEPLOYED" });
    }
    expect(record.changes()).toEqual(["deployApplication", "deployApplication"]);
  });

  it("stops a database by a schedule, and starts it when that is taken away", async () => {
    const orders = await named(DATABASE, ids.orders);
    // Windows of an hour that open every minute: one is always open.
    const always = [{ kind: "Stop", schedule: "* * * * *", duration: "1h" }];
    for (const [runSchedule, reason, state] of [
      [always, "Stopped", "STOPPED"],
      [null, "Available", "DEPLOYED"],
    ] as const) {
      await env.patch(DATABASE, orders, { spec: { runSchedule } });
      await env.waitFor(DATABASE, orders, { status: "True", reason });
      expect(states()).toMatchObject({ orders: state });
    }
  });

  it("binds a template that the catalog lists", async () => {
    const clusterId = env.platform.clusterIds[0] ?? "";
    const listed = await platform("templates", "-o", "name");
    expect(listed).toContain("kubernetes-essentials");
    const isOfIt = ({ kind, metadata: { name } }: Manifest): boolean => kind === "PlatformBinding" || name === "dns";
    const manifests = env.quickstart().filter(isOfIt);
    await env.ready(...manifests);
    expect(env.platform.world().clusters.get(clusterId)?.binding).toMatchObject({
      templateKey: "kubernetes-essentials",
    });
  });

  it("reads the logs", async () => {
    const web = await named(APPLICATION, ids.web);
    const log = await platform("logs", `papp/${web}`, "--tail=2");
    expect(log.trim().split("\n")).toHaveLength(2);
  });

  it("deletes with each policy", async () => {
    const [web, api] = [await named(APPLICATION, ids.web), await named(APPLICATION, ids.api)];
    const orders = await named(DATABASE, ids.orders);
    await env.patch(APPLICATION, web, { spec: { lifecycle: { deletionPolicy: "Delete" } } });
    await env.patch(DATABASE, orders, { spec: { lifecycle: { deletionPolicy: "Stop" } } });
    await env.waitFor(APPLICATION, web, { status: "True" });
    await env.waitFor(DATABASE, orders, { status: "True" });
    const record = await env.record();
    await kubectl("delete", "platformapplication", web, api, "--timeout=30s");
    await kubectl("delete", "platformdatabase", orders, "--timeout=30s");
    expect([...record.changes()].toSorted()).toEqual(["deleteApplication", "stopDatabase"]);
    expect(states()).toEqual({ api: "DEPLOYED", orders: "STOPPED" });
  });

  /** The custom resource that stands for an object of the platform. */
  async function named(kind: string, id: string): Promise<string> {
    const found = (await env.list(kind)).find((object) => idOf(object) === id);
    if (found === undefined) throw new Error(`no ${kind} of ${id}`);
    return found.metadata.name;
  }
});
