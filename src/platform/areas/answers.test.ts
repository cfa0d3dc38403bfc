import { describe, expect, it } from "vitest";

import { failureOf, startHarness } from "../../../test/support/platform/client.ts";
import { ID, OTHER } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const REQUEST = "00000000-0000-4000-8000-00000000000c";
const at = "2026-11-21T10:00:00.123456Z";
const redis = { tag: "redis/1.0", icon: "https://x.example/y.svg" };
const layer = { key: "l", mandatory: true, enabledByDefault: true, modes: [], componentKeys: [], components: [] };
const template = { key: "t", version: "1", status: "PUBLISHED" };
const results = (...items: readonly unknown[]) => ({ results: items });
const queued = { state: "DEPLOYMENT_QUEUED", deployment_request_id: REQUEST };
const known = { state: "DEPLOYMENT_QUEUED", deploymentRequestId: REQUEST };
const ofOther = { id: OTHER };
const { tag } = redis;
const web = { id: ID, name: "web" };
const odd = { ...web, cpu: "250", storage: 10 };
const variable = { id: ID, key: "A", scope: "APPLICATION" };
const imported = { name: "A", is_secret: true, value: "s3cret" };
const repository = { id: "2", name: "api", url: "u" };
const records = [{ message: "one" }, { id: "x", message: "two" }, { message: "three" }];
const deployed = { id: OTHER, state: "DEPLOYED" };
const nulls = { deployment_request_id: null, last_deployment_date: null };

type Call = (platform: Platform) => Promise<unknown>;
const status: Call = ({ applications }) => applications.status(ID);
const deploy: Call = ({ applications }) => applications.deploy(ID, "abcdef1");
const log: Call = ({ applications }) => applications.log(ID, 2);
const createBlueprint: Call = ({ blueprints }) => blueprints.create(ID, { name: "cache", ...redis }, { deploy: false });
const deployBlueprint: Call = ({ blueprints }) => blueprints.create(ID, { name: "cache", ...redis }, { deploy: true });
const helmValues: Call = ({ environments }) => environments.helmDefaultValues(ID, {});
const importVariables: Call = ({ variables }) => variables.import(ID, { overwrite: false, vars: [] });
const metrics: Call = ({ clusters }) => clusters.metrics(ID, { endpoint: "/q", query: "up" });
const variables: Call = (platform) => platform.variables.list(ID);
const secrets: Call = (platform) => platform.secrets.list(ID);
const credentials: Call = ({ organization }) => organization.gcpCredentials(ID);
const createProject: Call = ({ projects }) => projects.create({ name: "web" });
const databases: Call = (platform) => platform.databases.list(ID);
const providers: Call = ({ catalog }) => catalog.cloudProviders();
const databaseTypes: Call = ({ catalog }) => catalog.managedDatabaseTypes();
const repositories: Call = ({ organization }) => organization.gitRepositories();
const statuses: Call = ({ services }) => services.statuses(ID);
const request: Call = ({ deployments }) => deployments.status(ID);
const ingress: Call = ({ services }) => services.ingressStatus("helm", ID, { isFull: false });

/** Answers of the platform, and the client's results for them. */
const readings: readonly [string, Call, string | object, unknown][] = [
  [
    "a status with nulls, unknown members and unknown values",
    status,
    { id: ID, state: "HIBERNATING", ...nulls, future: [1], service_deployment_status: "SOON" },
    { id: ID, state: "HIBERNATING", serviceDeploymentStatus: "SOON" },
  ],
  [
    "an action's status",
    deploy,
    {
      id: ID,
      ...queued,
      last_deployment_date: at,
      deployment_requests_count: 2,
      status_details: { sub_action: "NONE" },
    },
    { id: ID, ...known, lastDeploymentDate: at, deploymentRequestsCount: 2, statusDetails: { subAction: "NONE" } },
  ],
  ["an action without a body", ({ databases }) => databases.stop(ID), "", undefined],
  ["invoices with any body", ({ organization }) => organization.sendInvoices(), "<p>sent</p>", undefined],
  ["an ingress under router_id", ingress, { router_id: OTHER, status: "READY" }, { routerId: OTHER, status: "READY" }],
  ["an ingress under routerId", ingress, { routerId: OTHER, status: "RECAP" }, { routerId: OTHER, status: "RECAP" }],
  [
    "a blueprint that was created",
    createBlueprint,
    { id: ID, catalog_url: "https://c.example/x", tag: "redis/1.0", environment_id: OTHER, future: 1 },
    { id: ID, catalogUrl: "https://c.example/x", tag: "redis/1.0", environmentId: OTHER },
  ],
  ["a deployed blueprint: nothing", deployBlueprint, "", {}],
  ["a deployed blueprint: an id alone", deployBlueprint, { id: ID }, { id: ID }],
  ["a deployed blueprint: its service", deployBlueprint, { ...ofOther, ...queued }, { serviceId: OTHER, ...known }],
  ["a deployed blueprint: its record", deployBlueprint, { ...ofOther, tag, ...queued }, { ...ofOther, tag, ...known }],
  ["a deployed blueprint: an id that is none", deployBlueprint, { id: "../7", deployment_id: OTHER }, {}],
  ["a deployed blueprint: a page", deployBlueprint, "<p>accepted</p>", {}],
  ["helm values as JSON", helmValues, `"a: 1\\n"`, "a: 1\n"],
  ["helm values as text", helmValues, "a: 1\n", "a: 1\n"],
  ["helm values that are a number", helmValues, "1", "1"],
  ["a log as records, trimmed", log, results(...records), ["two", "three"]],
  ["the end of a log of many blank lines", log, `${"\n".repeat(1_000_000)}two\nthree\n`, ["two", "three"]],
  ["a log of one line", log, "one", ["one"]],
  ["a log as text", log, "one\r\ntwo\nthree\n", ["two", "three"]],
  [
    "an import, without the values that came back and malformed items",
    importVariables,
    { total_variables_to_import: 2, successful_imported_variables: [imported, { ...imported, name: 7 }] },
    { totalVariablesToImport: 2, successfulImportedVariables: [{ name: "A", isSecret: true }] },
  ],
  ["variables", variables, results({ ...variable, value: "fast" }), [{ ...variable, value: "fast" }]],
  ["variables without members that the specification does not show", variables, results({ name: "A" }), [{}]],
  ["secrets, without their values", secrets, results({ ...variable, value: "s3cret" }), [variable]],
  ["a variable: nothing", ({ variables }) => variables.create(ID, { key: "A", value: "1" }), "", undefined],
  [
    "a cluster status",
    ({ clusters }) => clusters.stop(ID),
    { cluster_id: ID, status: "READY", next_k8s_available_version: "2", cluster_lock: { reason: "x", ttl_in_days: 2 } },
    { clusterId: ID, status: "READY", nextK8sAvailableVersion: "2", clusterLock: { reason: "x", ttlInDays: 2 } },
  ],
  ["cluster metrics", metrics, { metrics: "{}" }, "{}"],
  ["credentials of an undocumented type", credentials, { ...web, object_type: "X" }, { ...web, objectType: "X" }],
  ["a project that shows its id only once created", createProject, { id: ID }, { ...web, record: web }],
  ["optional members of another shape as absent", databases, results(odd), [{ ...web, storage: 10, record: odd }]],
  [
    "templates without the malformed ones, and a template without its malformed layers",
    ({ templates }) => templates.list(),
    results(
      null,
      { key: "t", version: 1 },
      { ...template, layers: [7, layer, { ...layer, key: 1 }] },
      { ...template, layers: [layer] },
    ),
    [
      { ...template, layers: [layer], isIncomplete: true },
      { ...template, layers: [layer] },
    ],
  ],
  ["a deployment request", request, { status: "QUEUED", future: 1 }, { status: "QUEUED" }],
  ["a deployment request without a status", request, { deployment_request_id: REQUEST }, undefined],
  ["a cloud provider without a short name", providers, results({ name: "A" }), [{ name: "A", regions: [] }]],
  [
    "cloud providers and regions but malformed ones",
    providers,
    results(7, { short_name: "A", regions: [{ name: "eu" }, {}] }),
    [{ shortName: "A", regions: [{ name: "eu" }] }],
  ],
  ["types of databases but malformed ones", databaseTypes, results({}, { name: "REDIS" }), [{ name: "REDIS" }]],
  ["git repositories but malformed ones", repositories, results({ id: "1" }, repository), [repository]],
  ["states of services but malformed ones", statuses, { applications: [{ id: ID }, deployed] }, [deployed]],
  [
    "bounds beyond 2^53 digit by digit",
    async ({ templates }) => (await templates.list())[0]?.layers[0]?.components[0]?.fields[0]?.constraints,
    `{"results":[{"key":"t","version":"1","status":"PUBLISHED","layers":[{"key":"l","mandatory":true,"enabledByDefault":true,
      "modes":[],"providers":null,"componentKeys":[],"components":[{"key":"c","kind":"HELM","fields":[{"key":"f","type":"number",
      "required":false,"label":"F","sensitive":false,"constraints":{"min":1,"max":9223372036854775807,"maxLength":9,"pattern":null}}]}]}]}]}`,
    { min: 1n, max: 9223372036854775807n, maxLength: 9 },
  ],
];

describe("an answer of the platform", () => {
  it.each(readings)("is read: %s", async (_name, call, body, expected) => {
    const { connect } = await startHarness({ status: 202, body });
    const value = await call(connect());
    expect(value).toEqual(expected);
  });

  it("[E3] never gives members of a prototype", async () => {
    const { connect } = await startHarness({
      body: `{"id":"${ID}","name":"web","__proto__":{"description":"polluted"},"constructor":{"x":1}}`,
    });
    const project = await connect().projects.get(ID);
    expect(project.description).toBeUndefined();
    expect(Object.hasOwn(project.record, "__proto__")).toBe(false);
  });

  it.each([
    [false, "container", "CONTAINER"],
    [true, "CONTAINER", "container"],
  ])(
    "about an ingress is asked for by the surface (Full: %s) with %s, then with %s, until one works",
    async (isFull, first, second) => {
      const { server, connect } = await startHarness();
      const { services } = connect();
      const failure = async () => (await failureOf(services.ingressStatus("container", ID, { isFull }))).failure.is;
      server.script({ status: 404 }, { status: 400 });
      expect(await failure()).toBe("NotFound");
      server.script({ status: 400 }, { status: 404 });
      expect(await failure()).toBe("NotFound");
      server.script({ status: 404 }, { status: 403 });
      expect(await failure()).toBe("Forbidden");
      server.script({ status: 400 }, { body: {} });
      expect(await services.ingressStatus("container", ID, { isFull })).toEqual({});
      await services.ingressStatus("container", ID, { isFull });
      const asked = server.arrived.map(({ url }) => url.split("/")[1]);
      const each = [first, second];
      expect(asked).toEqual([...each, ...each, ...each, ...each, second]);
    },
  );
});
