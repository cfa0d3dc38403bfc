import { describe, expect, it } from "vitest";

import { failureOf, startHarness } from "../../test/support/platform-client.ts";
import type { Platform } from "./index.ts";
import { parseJson } from "./json.ts";

const ID = "00000000-0000-4000-8000-00000000000a";
const OTHER = "00000000-0000-4000-8000-00000000000b";

const answer = {
  id: ID,
  state: "READY",
  successful_imported_variables: [],
  name: "web",
  git_repository: { url: "https://github.com/acme/web.git", branch: "main", provider: "GITHUB", root_path: "/app" },
  ports: [
    { id: OTHER, internal_port: 8080, publicly_accessible: true },
    { id: ID, internal_port: 9090 },
  ],
  cpu: 500,
  auto_deploy: false,
  created_at: "2026-11-21T10:00:00Z",
  environment: { id: OTHER },
};

/** What the client sends for a call; answers are the one above. */
const bodies: readonly [string, (platform: Platform) => Promise<unknown>, string, unknown][] = [
  [
    "an environment with its cluster under both names",
    (platform) => platform.environments.create(ID, { name: "prod", mode: "PRODUCTION", clusterId: OTHER }),
    `POST /project/${ID}/environment`,
    { name: "prod", mode: "PRODUCTION", cluster_id: OTHER, cluster: OTHER },
  ],
  [
    "an application with health checks and its provider",
    (platform) =>
      platform.applications.create(ID, {
        name: "web",
        gitRepository: { url: "https://gitlab.acme.dev/web.git", branch: "main" },
        cpu: 250,
        ports: [{ internalPort: 80, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }],
      }),
    `POST /environment/${ID}/application`,
    {
      name: "web",
      healthchecks: {},
      git_repository: { url: "https://gitlab.acme.dev/web.git", branch: "main", provider: "GITLAB" },
      cpu: 250,
      ports: [{ internal_port: 80, external_port: 443, protocol: "HTTP", publicly_accessible: true }],
    },
  ],
  [
    "a deploy with its commit",
    (platform) => platform.applications.deploy(ID, "abcdef1"),
    `POST /application/${ID}/deploy`,
    { git_commit_id: "abcdef1" },
  ],
  [
    "an import with the scope of each variable",
    (platform) =>
      platform.variables.import(ID, { overwrite: true, vars: [{ name: "A", value: "1", isSecret: false }] }),
    `POST /application/${ID}/environmentVariable/import`,
    { overwrite: true, vars: [{ name: "A", value: "1", is_secret: false, scope: "APPLICATION" }] },
  ],
  [
    "a blueprint with its overrides as they are",
    (platform) =>
      platform.blueprints.create(
        ID,
        { name: "cache", tag: "redis/1.0", icon: "https://x/y.svg", specOverrides: { engine_version: "1.9" } },
        { deploy: true },
      ),
    `POST /environment/${ID}/blueprint?deploy=true`,
    { name: "cache", tag: "redis/1.0", icon: "https://x/y.svg", spec_overrides: { engine_version: "1.9" } },
  ],
  [
    "a binding with every digit of an int64, and hostile keys as plain ones",
    (platform) =>
      platform.templates
        .bind(ID, {
          templateKey: "base",
          templateVersion: "1.0.0",
          managedConfig: JSON.parse(`{"__proto__": {"replicas": 1}}`),
          customerProvidedInputs: { db: { size: "1" } },
          secrets: ["1"],
        })
        .then(() =>
          platform.templates.bind(ID, {
            templateKey: "a",
            templateVersion: "1",
            managedConfig: { c: { n: 2n ** 63n - 1n } },
          }),
        ),
    "",
    { templateKey: "a", templateVersion: "1", managedConfig: { c: { n: 9223372036854775807n } } },
  ],
  [
    "a webhook with its kind",
    (platform) => platform.webhooks.create({ targetUrl: "https://x/y", events: ["DEPLOYMENT_STARTED"], enabled: true }),
    "",
    { kind: "STANDARD", target_url: "https://x/y", events: ["DEPLOYMENT_STARTED"], enabled: true },
  ],
  [
    "a changed application on top of what is there",
    async (platform) => {
      const current = await platform.applications.get(ID);
      return platform.applications.update(current, {
        name: "web",
        gitRepository: { url: "https://github.com/acme/web.git", branch: "next" },
        ports: [{ internalPort: 8080, publiclyAccessible: false }, { internalPort: 7070 }],
      });
    },
    `PUT /application/${ID}`,
    {
      healthchecks: {},
      name: "web",
      git_repository: { url: "https://github.com/acme/web.git", branch: "next", provider: "GITHUB", root_path: "/app" },
      ports: [
        { id: OTHER, internal_port: 8080, publicly_accessible: false },
        { internal_port: 7070, publicly_accessible: false },
      ],
      cpu: 500,
      auto_deploy: false,
      state: "READY",
      successful_imported_variables: [],
    },
  ],
];

describe("bodies", () => {
  it.each(bodies)("%s", async (_name, call, request, expected) => {
    const { server, connect } = await startHarness();
    server.script({ body: answer });
    await call(connect());
    const last = server.arrived.at(-1);
    expect(parseJson(last?.body ?? "")).toEqual(expected);
    expect(`${last?.method} ${last?.url}`).toContain(request);
  });

  it("carry cluster metrics' query in the platform's spelling", async () => {
    const { server, connect } = await startHarness();
    server.script({ body: { metrics: "" } });
    await connect().clusters.metrics(ID, { endpoint: "api/v1/query", query: "a&b=c", maxSourceResolution: "5m" });
    expect(server.arrived[0]?.url).toBe(
      `/cluster/${ID}/metrics?endpoint=api%2Fv1%2Fquery&query=a%26b%3Dc&max_source_resolution=5m`,
    );
  });

  it("are not asked of the platform with the wrong scheme", async () => {
    const { server, connect } = await startHarness();
    const error = await failureOf(connect({ scheme: "Bearer" }).organization.gitRepositories());
    expect(error).toMatchObject({ failure: { is: "Refused" }, operation: "listGitRepositories" });
    expect(error.message).toContain("API token");
    expect(server.arrived).toEqual([]);
  });
});
