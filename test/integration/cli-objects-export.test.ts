import { beforeAll, describe, expect, inject, it, vi } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { manifestsIn } from "../support/env/manifests.ts";
import { extendedOn } from "../support/env/simulated-platform.ts";
import { COMMIT, defaults } from "../support/kube/manifests.ts";
import { adminOf } from "../support/platform/client.ts";
import { applicationInput, databaseInput } from "../support/platform/env.ts";
import { commandsIn, ON_LOOPBACK } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");
const PASSWORD = "not-a-real-password";

const exported = (env: Env, ...argv: readonly string[]) =>
  commandsIn(env, kubeconfigPath, ...ON_LOOPBACK)(["export", ...argv]);

/** A project with two environments, applications of one name in both, and databases, made by other hands. */
async function existing({ platform }: Env): Promise<void> {
  const client = adminOf(platform);
  const [clusterId = ""] = platform.clusterIds;
  const { id: projectId } = await client.projects.create({ name: "Web Shop", description: "Sells things." });
  for (const name of ["Staging", "Production"]) {
    const mode = name === "Staging" ? "STAGING" : "PRODUCTION";
    const { id } = await client.environments.create(projectId, { name, mode, clusterId });
    const application = await client.applications.create(id, applicationInput("API"), extendedOn(platform));
    await client.variables.create(application.id, { key: "LOG_LEVEL", value: "info" });
    await client.secrets.create(application.id, { key: "DATABASE_PASSWORD", value: PASSWORD });
    await client.applications.deploy(application.id, COMMIT);
    const main = await client.databases.create(id, { ...databaseInput("main"), mode: "CONTAINER" });
    await client.databases.deploy(main.id);
    await client.databases.create(id, { ...databaseInput("Never Deployed"), mode: "CONTAINER" });
  }
  await client.projects.create({ name: "Empty" });
  // Names and texts that YAML 1.1 reads as booleans and numbers where they are bare.
  const norway = await client.projects.create({ name: "no", description: "Yes" });
  const { id } = await client.environments.create(norway.id, { name: "on", mode: "STAGING", clusterId });
  const { gitRepository, ...input } = applicationInput("y");
  const branched = { ...input, gitRepository: { ...gitRepository, branch: "2024_10" } };
  const { id: applicationId } = await client.applications.create(id, branched, extendedOn(platform));
  await client.applications.deploy(applicationId, "0755000");
  await client.templates.bind(clusterId, {
    templateKey: "kubernetes-essentials",
    templateVersion: "1.1.0",
    managedConfig: { ingress: { domain: "shop.example.com", replicas: 3 }, nodePool: { instanceType: "t3.medium" } },
  });
  const hook = { targetUrl: "https://ci.example.com/hooks", events: ["DEPLOYMENT_FAILURE"], enabled: true };
  await client.webhooks.create({ ...hook, targetSecret: PASSWORD, projectNamesFilter: ["web*"] }, extendedOn(platform));
  const chat = { ...hook, targetUrl: `https://chat.example.com/?key=${PASSWORD}` };
  await client.webhooks.create(chat, extendedOn(platform));
  await client.close();
}

/** Applies it, waits for everything to be Ready, and expects no write to the platform. */
async function applied(env: Env, yaml: string): Promise<readonly string[]> {
  const record = await env.record();
  await env.kubectl(["apply", "-f", "-"], { input: yaml });
  const objects = manifestsIn(yaml);
  for (const { kind, metadata } of objects) await env.waitFor(kind, metadata.name, { status: "True" });
  await env.settled();
  expect(record.changes()).toEqual([]);
  return objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
}

// On the documented surface: docs/guides/adopt.md, which test/e2e/guides.test.ts runs.
describe("kubectl platform export, full surface", () => {
  const env = createEnv({ surface: "full" });

  beforeAll(async () => {
    await env.apply(...defaults(env));
    await existing(env);
    const { services } = env.platform.world();
    const areStill = (): boolean => [...services.values()].every(({ state }) => ["DEPLOYED", "READY"].includes(state));
    await vi.waitUntil(areStill, { timeout: 20_000 });
  });

  it("writes manifests that adopt every object of the organization without a write to the platform", async () => {
    const { code, stdout } = await exported(env);
    expect(code).toBe(0);
    expect(stdout).not.toContain(PASSWORD);
    const kept = "# Its variables stay unchanged: LOG_LEVEL.\n# Its secrets stay unchanged: DATABASE_PASSWORD.";
    expect(stdout).toContain(kept);
    const wanted = [
      ...["PlatformProject/web-shop", "PlatformProject/empty", "PlatformCluster/production"],
      ...["PlatformEnvironment/staging", "PlatformEnvironment/production", "PlatformBinding/production"],
      ...["PlatformApplication/staging-api", "PlatformApplication/production-api"],
      ...["PlatformDatabase/staging-main", "PlatformDatabase/production-never-deployed"],
      "PlatformWebhook/ci-example-com",
    ];
    expect(await applied(env, stdout)).toEqual(expect.arrayContaining(wanted));
    expect(stdout).toContain("#   targetUrl: https://chat.example.com/FILL-IN\n");
    const hook = await env.get("PlatformWebhook", "ci-example-com");
    expect(condition(hook, "Drifted")).toMatchObject({ status: "False", reason: "NoDrift" });
    expect((await env.get("PlatformProject", "no")).spec).toMatchObject({ name: "no", description: "Yes" });
    expect((await env.get("PlatformApplication", "y")).spec).toMatchObject({
      gitRepository: { branch: "2024_10" },
      deploy: { gitCommitId: "0755000" },
    });
    expect((await env.get("PlatformApplication", "staging-api")).spec).toMatchObject({
      environmentRef: { name: "staging" },
      deploy: { gitCommitId: COMMIT },
      lifecycle: { deletionPolicy: "Retain" },
    });
  });

  // Files in a directory: docs/guides/adopt.md.
  it("leaves out the objects that a resource has adopted already", async () => {
    const { code, stdout } = await exported(env, "--project", "Web Shop", "--observe-only");
    expect(code).toBe(0);
    expect(stdout).toContain('# PlatformApplication "staging-api" holds ');
    expect(stdout).not.toContain("kind:");
  });

  it("refuses a project that does not exist", async () => {
    const stderr = 'The organization has no project "nothing".\n';
    expect(await exported(env, "--project", "nothing")).toEqual({ code: 1, stdout: "", stderr });
  });
});
