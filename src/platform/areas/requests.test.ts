/** The requests of all areas but applications and templates, and what they refuse to send. */
import { describe } from "vitest";

import { ORGANIZATION } from "../../../test/support/platform/client.ts";
import { ID, itRefuses, itSends, LONE_SURROGATE, OTHER } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";
import type { BlueprintInput } from "./blueprints.ts";
import type { DatabaseInput } from "./databases.ts";

const organization = `/organization/${ORGANIZATION}`;
const HALF = "not well-formed Unicode";

describe("the request for a project", () => {
  const web = { id: ID, name: "web" };
  const current = {
    ...web,
    record: { ...web, description: "shop", tier: 2, created_at: "x", organization: { id: OTHER } },
  };
  const create = (description?: string) => (p: Platform) => p.projects.create({ name: "web", description });
  const update = (name: string) => (p: Platform) => p.projects.update(current, { name });
  const [post, put] = [`POST ${organization}/project`, `PUT /project/${ID}`];

  itSends(
    ["created with a name alone", create(), post, { name: "web" }],
    ["created with a description, which may be empty", create(""), post, { name: "web", description: "" }],
    ["changed on top of what is there", update("shop"), put, { name: "shop", description: "shop", tier: 2 }],
  );
  itRefuses(
    ["no name", ({ projects }) => projects.create({ name: "" }), "name: blank"],
    ["half a character", create(LONE_SURROGATE), `description: ${HALF}`],
  );
});

describe("the request for an environment", () => {
  const current = { id: ID, name: "prod", record: { id: ID, name: "prod", mode: "STAGING", cluster_id: OTHER } };
  const create =
    (change: { name?: string; mode?: string; clusterId?: string }, extended = false) =>
    (p: Platform) =>
      p.environments.create(ID, { name: "prod", ...change }, { extended });
  const update = (name: string) => (p: Platform) => p.environments.update(current, { name });
  const values = (source: Readonly<Record<string, unknown>>) => (p: Platform) =>
    p.environments.helmDefaultValues(ID, source);
  const [post, put] = [`POST /project/${ID}/environment`, `PUT /environment/${ID}`];
  const defaults = `POST /environment/${ID}/helmDefaultValues`;
  const input = { mode: "PRODUCTION", clusterId: OTHER };
  const sent = { name: "prod", mode: "PRODUCTION", cluster_id: OTHER };
  const source = { helm_repository: { repository: null, chartName: "web", count: [1, 2n ** 63n, true] } };

  itSends(
    ["created on a cluster", create(input), post, sent],
    ["created with its cluster under both names", create(input, true), post, { ...sent, cluster: OTHER }],
    ["created on the default cluster", create({}), post, { name: "prod" }],
    ["changed in its name alone", update("live"), put, { name: "live" }],
    [
      "asked for helm's default values, the source as it is",
      values({ ...source, no: undefined }),
      defaults,
      { source },
    ],
  );
  itRefuses(
    ["no name", create({ name: "" }), "name: blank"],
    ["a cluster by its name", create({ clusterId: "production" }), "clusterId: not a UUID"],
    ["half a character", create({ mode: LONE_SURROGATE }), `mode: ${HALF}`],
    ["a source that is no JSON", values({ git: { depth: NaN } }), "source.git.depth: not a value of JSON"],
  );
});

describe("the request for a database", () => {
  const input = { name: "db", type: "POSTGRESQL", mode: "MANAGED" };
  const sizes = { version: "16", cpu: 250, memory: 512, storage: 10 };
  const stored = { ...input, version: "16", accessibility: "PRIVATE" };
  const current = { id: ID, name: "db", record: { id: ID, ...stored } };
  const larger = { name: "main", storage: 20 };
  const create = (change: Partial<DatabaseInput>) => (p: Platform) => p.databases.create(ID, { ...input, ...change });
  const update = (change: { name: string; storage?: number; type?: string }) => (p: Platform) =>
    p.databases.update(current, change);
  const [post, put] = [`POST /environment/${ID}/database`, `PUT /database/${ID}`];

  itSends(
    ["created with every setting", create(sizes), post, { ...input, ...sizes }],
    [
      "created with every setting of the whole API",
      create({ instanceType: "db.t3.medium", accessibility: "PRIVATE", diskType: "gp3" }),
      post,
      { ...input, instance_type: "db.t3.medium", accessibility: "PRIVATE", disk_type: "gp3" },
    ],
    ["created with what is needed", create({ version: undefined }), post, input],
    ["changed, but for type and mode", update({ ...larger, type: "MYSQL" }), put, { ...stored, ...larger }],
  );
  itRefuses(
    ["no name, type and mode", create({ name: "", type: "", mode: "" }), "name: blank; type: blank; mode: blank"],
    ["half a character", create({ version: LONE_SURROGATE }), `version: ${HALF}`],
    ["no size", create({ storage: -Infinity }), "storage: Invalid input: expected number, received -Infinity"],
  );
});

describe("the request for a blueprint", () => {
  const input = { name: "cache", tag: "redis/1.0", icon: "https://x.example/y.svg" };
  const create =
    (change: Partial<BlueprintInput>, deploy = false) =>
    (p: Platform) =>
      p.blueprints.create(ID, { ...input, ...change }, { deploy });
  const post = `POST /environment/${ID}/blueprint?deploy=`;
  const alone = `${post}false`;
  const specOverrides = { engine_version: "1.9", timeout: 60, backend: null };
  const overridden = { ...input, spec_overrides: specOverrides };
  const plain = { name: "A", value: "" };
  const secret = { name: "B", value: "s3cret" };
  const variables = [plain, { ...secret, isSecret: true }];
  const sent = [
    { ...plain, is_secret: false },
    { ...secret, is_secret: true },
  ];
  const shaped = { key: "C", nested: { list: [1, null] } };
  const patch = { A: null, B: { value: "s3cret", is_secret: true } };
  const broken = { ...secret, value: `s3cret${LONE_SURROGATE}` };
  const noJson = { cpu: NaN, engine_version: LONE_SURROGATE };

  itSends(
    ["created alone", create({}), alone, input],
    ["created with its overrides as they are, deployed", create({ specOverrides }, true), `${post}true`, overridden],
    ["created with null overrides", create({ specOverrides: null }), alone, { ...input, spec_overrides: null }],
    ["created with variables", create({ variables }), alone, { ...input, variables: sent }],
    [
      "created with variables of any shape, after the others",
      create({ variables, variableObjects: [shaped] }),
      alone,
      { ...input, variables: [...sent, shaped] },
    ],
    [
      "changed, with removals of variables and overrides",
      ({ blueprints }) => blueprints.update(ID, { ...input, variables: patch, specOverrides }, ["s3cret"]),
      `PATCH /blueprint/${ID}`,
      { ...input, variables: patch, spec_overrides: specOverrides },
    ],
    [
      "changed, without its variables",
      ({ blueprints }) => blueprints.update(ID, input, []),
      `PATCH /blueprint/${ID}`,
      input,
    ],
    ["deployed", ({ blueprints }) => blueprints.deploy(ID), `POST /blueprint/${ID}/deploy`, undefined],
    ["stopped by its service", ({ services }) => services.stopHelm(ID), `POST /helm/${ID}/stop`, undefined],
    ["deleted by its service", ({ services }) => services.deleteHelm(ID), `DELETE /helm/${ID}`, undefined],
    [
      "deleted by its Terraform service, with its resources",
      ({ services }) => services.deleteTerraform(ID),
      `DELETE /terraform/${ID}`,
      undefined,
    ],
  );
  itRefuses(
    ["no name and tag", create({ name: "", tag: "" }), "name: blank; tag: blank"],
    ["an icon that is no URI", create({ icon: "y.svg" }), "icon: not a URI"],
    [
      "a variable without a name, and one with half a character",
      create({ variables: [{ ...plain, name: "" }, broken] }),
      `variables.0.name: blank; variables.1.value: ${HALF}`,
    ],
    [
      "overrides that JSON cannot say",
      create({ specOverrides: noJson }),
      `specOverrides.cpu: not a value of JSON; specOverrides.engine_version: ${HALF}`,
    ],
  );
});

describe("the request for a variable", () => {
  const secret = { key: "PASSWORD", value: "hunter22" };
  const broken = { key: "PASSWORD", value: `hunter22${LONE_SURROGATE}` };
  const empty = { key: "A", value: "" };
  const at = `/application/${ID}`;
  const plain = { name: "A", value: "", isSecret: false };
  const scoped = { name: "B", value: "hunter22", isSecret: true, scope: "APPLICATION" };
  const sent = [
    { name: "A", value: "", is_secret: false },
    { name: "B", value: "hunter22", is_secret: true, scope: "APPLICATION" },
  ];
  const bad = [plain, { ...plain, name: "", value: broken.value }];
  const load = (overwrite: boolean, vars: readonly (typeof scoped | typeof plain)[]) => (p: Platform) =>
    p.variables.import(ID, { overwrite, vars: [...vars] });
  const imports = `POST ${at}/environmentVariable/import`;

  itSends(
    [
      "imported, each with its scope if it has one",
      load(true, [plain, scoped]),
      imports,
      { overwrite: true, vars: sent },
    ],
    ["created, empty", ({ variables }) => variables.create(ID, empty), `POST ${at}/environmentVariable`, empty],
    ["changed", ({ variables }) => variables.update(ID, OTHER, empty), `PUT ${at}/environmentVariable/${OTHER}`, empty],
    ["created as a secret", ({ secrets }) => secrets.create(ID, secret), `POST ${at}/secret`, secret],
    ["changed as a secret", ({ secrets }) => secrets.update(ID, OTHER, secret), `PUT ${at}/secret/${OTHER}`, secret],
  );
  itRefuses(
    ["an import of no name and half a character", load(false, bad), `vars.1.name: blank; vars.1.value: ${HALF}`],
    ["no key", ({ variables }) => variables.create(ID, { key: " ", value: "1" }), "key: blank"],
    ["half a character in a secret", ({ secrets }) => secrets.create(ID, broken), `value: ${HALF}`],
  );
});

describe("the request for a cluster", () => {
  const members =
    "start end step time timeout dedup partialResponse maxSourceResolution engine analyze boardShortName metricShortName traceId";
  const numbered = Object.fromEntries(members.split(" ").map((name, index) => [name, String(index + 1)]));
  const everything = { endpoint: "api/v1/query", query: "a&b=c", ...numbered, range: "" };
  const spelled =
    "endpoint=api%2Fv1%2Fquery&query=a%26b%3Dc&start=1&end=2&step=3&time=4&timeout=5&dedup=6&partial_response=7" +
    "&max_source_resolution=8&engine=9&analyze=10&board_short_name=11&metric_short_name=12&trace_id=13&range=";
  const up = { endpoint: "query", query: "up" };
  const at = `GET /cluster/${ID}`;
  const metrics = (query: Parameters<Platform["clusters"]["metrics"]>[1]) => (p: Platform) =>
    p.clusters.metrics(ID, query);

  itSends(
    ["asked for a token", ({ clusters }) => clusters.token("prod eu"), "GET /cluster/prod%20eu/token"],
    ["asked for a read token", ({ clusters }) => clusters.token(ID, { readOnly: true }), `${at}/token?read_only=true`],
    ["asked for some metrics", metrics({ ...up, start: undefined }), `${at}/metrics?endpoint=query&query=up`],
    ["asked for all metrics", metrics(everything), `${at}/metrics?${spelled}`],
    ["stopped", ({ clusters }) => clusters.stop(ID), `POST ${organization}/cluster/${ID}/stop`],
    ["upgraded", ({ clusters }) => clusters.upgrade(ID), `POST /cluster/${ID}/upgrade`],
  );
  itRefuses(
    ["metrics of no endpoint and no query", metrics({ endpoint: "", query: " " }), "endpoint: blank; query: blank"],
    ["half a character", metrics({ ...up, traceId: LONE_SURROGATE }), `traceId: ${HALF}`],
  );
});

describe("the request for a webhook", () => {
  const usual = { events: ["DEPLOYMENT_STARTED"], enabled: true };
  const input = { ...usual, targetUrl: "https://x.example/y" };
  const sent = { ...usual, target_url: "https://x.example/y" };
  const current = { id: ID, record: { id: ID, ...sent, kind: "SLACK", target_secret_set: true } };
  const create =
    (change: object, extended = false) =>
    (p: Platform) =>
      p.webhooks.create({ ...input, ...change }, { extended });
  const update = (change: object) => (p: Platform) => p.webhooks.update(current, { ...input, ...change });
  const off = { events: [], enabled: false };
  const secret = { targetSecret: "hush" };
  const more = { description: "", projectNamesFilter: ["shop*"], environmentTypesFilter: ["PRODUCTION"] };
  const moreSent = {
    ...{ target_secret: "hush", description: "" },
    ...{ project_names_filter: ["shop*"], environment_types_filter: ["PRODUCTION"] },
  };
  const [post, put] = [`POST ${organization}/webhook`, `PUT ${organization}/webhook/${ID}`];

  itSends(
    ["created as the spec shows it", create({}), post, sent],
    ["created with kind and secret", create(secret, true), post, { ...sent, kind: "STANDARD", target_secret: "hush" }],
    ["created with what the whole API has", create({ ...secret, ...more }), post, { ...sent, ...moreSent }],
    [
      "changed with a kind",
      (p) => p.webhooks.update({ id: ID, record: sent }, input),
      put,
      { kind: "STANDARD", ...sent },
    ],
    ["changed on top of what is there", update(off), put, { ...sent, ...off, kind: "SLACK", target_secret_set: true }],
  );
  itRefuses(
    ["a target that is no URL", create({ targetUrl: "/y" }), "targetUrl: not a URI"],
    ["an event without a name", update({ events: ["DEPLOYMENT_STARTED", ""] }), "events.1: blank"],
  );
});

describe("the request for a read by another id", () => {
  const status = (id: string) => (p: Platform) => p.deployments.status(id);
  const ofToken = (gitTokenId: string) => (p: Platform) =>
    p.organization.gitRepositories({ gitTokenId }, { maxAgeMs: 10_000 });
  const repositories = `GET ${organization}/account/github/repository`;

  itSends(
    ["of a deployment request", status(ID), `GET /environment/deploymentStatus?deploymentRequestId=${ID}`],
    ["of all repositories", (p) => p.organization.gitRepositories(), repositories],
    ["of the repositories of a git token", ofToken(ID), `${repositories}?gitTokenId=${ID}`],
    ["of the invoices", (p) => p.organization.sendInvoices(), `POST ${organization}/downloadInvoices`],
  );
  for (const id of ["", "latest", `${ID}&x=1`]) {
    itRefuses(
      [`the request id ${id}`, status(id), "deploymentRequestId: not a UUID"],
      [`the git token ${id}`, ofToken(id), "gitTokenId: not a UUID"],
    );
  }
});
