import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";

import type { Application } from "../../../platform/areas/applications.ts";
import type { Binding, Template } from "../../../platform/areas/templates.ts";
import type { Webhook } from "../../../platform/areas/webhooks.ts";
import { dnsLabel } from "../../base/targets.ts";
import { namesFor, yamlOf, type Home } from "./documents.ts";
import { filesOf } from "./index.ts";
import type { FoundApplication, FoundEnvironment, Inventory } from "./inventory.ts";

const id = (last: number): string => `0000000${last}-0000-4000-8000-00000000000${last}`;
const url = "https://git.example.com/a/b.git";
const home: Home = { namespace: "shop", connectionRef: undefined, observeOnly: false, present: [] };

const application: Application = {
  id: id(3),
  name: "api",
  gitRepository: { url, branch: "main", provider: "GITHUB", deployedCommitId: "1A2B3C4" },
  buildMode: "DOCKER",
  dockerfilePath: "",
  cpu: 500,
  memory: 512,
  record: {},
};
const found = (record: Partial<Application> = {}, more: Partial<FoundApplication> = {}): FoundApplication => {
  return { record: { ...application, ...record }, state: "DEPLOYED", variables: [], secrets: [], ...more };
};

const environment = (more: Partial<FoundEnvironment> = {}): FoundEnvironment => ({
  id: id(2),
  serviceCount: 1,
  record: { id: id(2), name: "staging", mode: "STAGING", clusterId: id(9), record: {} },
  applications: [],
  databases: [],
  others: [],
  ...more,
});

function inventory(...environments: readonly FoundEnvironment[]): Inventory {
  const project = { record: { id: id(1), name: "Web", description: "", record: {} }, environments: [...environments] };
  return { surface: "Full", projects: [project], clusters: [], webhooks: [], gaps: [] };
}

/** Returns the manifest of one application and the comments around it. */
function exported(one: FoundApplication) {
  const [file] = filesOf(inventory(environment({ applications: [one] })), home);
  return file?.documents.at(-1);
}

describe("the manifest of an exported application", () => {
  it("contains what the platform returns and no further fields", () => {
    expect(exported(found())).toEqual({
      comments: [],
      manifest: {
        apiVersion: "platform-operator.io/v1alpha1",
        kind: "PlatformApplication",
        metadata: { name: "api", namespace: "shop" },
        spec: {
          environmentRef: { name: "staging" },
          name: "api",
          gitRepository: { url, branch: "main", provider: "GITHUB" },
          buildMode: "DOCKER",
          cpu: 500,
          memory: 512,
          deploy: { gitCommitId: "1a2b3c4" },
          externalId: id(3),
          lifecycle: { deletionPolicy: "Retain" },
        },
      },
    });
  });

  it("names no commit for an application that follows its branch", () => {
    const { manifest, comments } = exported(found({ autoDeploy: true })) ?? {};
    expect(manifest?.["spec"]).toMatchObject({ autoDeploy: true, deploy: undefined });
    expect(comments).toEqual([]);
  });

  const observed = { managementPolicy: "ObserveOnly", deletionPolicy: "Retain" };
  const filled = found({}, { variables: ["LOG_LEVEL"], secrets: ["PASSWORD"] });
  it.each<[string, FoundApplication, object, string]>([
    ["keeps a stopped application stopped", found({}, { state: "STOPPED" }), { runState: "Stopped" }, ""],
    [
      "only observes an application whose URL has credentials, and omits them",
      found({ gitRepository: { url: "https://me:secret@git.example.com/a/b.git", deployedCommitId: "1a2b3c4" } }),
      { gitRepository: { url }, lifecycle: observed },
      "The repository's URL on the platform contains credentials",
    ],
    [
      "deploys no commit where the platform shows none",
      found({ gitRepository: { url } }),
      {},
      "does not show the deployed commit",
    ],
    ["omits a value that the spec does not allow", found({ cpu: -1 }), {}, "spec.cpu is omitted: spec.cpu "],
    [
      "leaves variables and secrets unchanged",
      filled,
      {},
      "stay unchanged: LOG_LEVEL. Its secrets stay unchanged: PASSWORD.",
    ],
    [
      "leaves variables unchanged that the platform does not show",
      found({}, { variables: undefined }),
      {},
      "not be read; they stay unchanged.",
    ],
  ])("%s", (_what, one, spec, comment) => {
    const document = exported(one);
    expect(document?.manifest?.["spec"]).toMatchObject(spec);
    expect(document).not.toHaveProperty("disabled");
    expect(document?.comments.join(" ")).toContain(comment);
    expect(JSON.stringify(document?.manifest)).not.toContain("secret@");
  });

  it("is a comment where the application's name is not allowed in a spec", () => {
    const comments = [expect.stringMatching(/^It cannot be described: spec\.name must not be empty/)];
    expect(exported(found({ name: " blank " }))).toMatchObject({ disabled: true, comments });
  });

  it("refers to the resource that has the same id already, which is not exported again", () => {
    const present = [{ kind: "PlatformEnvironment", name: "stage", id: id(2) }];
    const [file] = filesOf(inventory(environment({ applications: [found()] })), { ...home, present });
    expect(file?.documents[1]).toEqual({ comments: [`PlatformEnvironment "stage" holds ${id(2)} already.`] });
    expect(file?.documents[2]?.manifest).toMatchObject({ spec: { environmentRef: { name: "stage" } } });
  });

  it("names the given connection and only observes where the user asks for that", () => {
    const connectionRef = { kind: "ClusterPlatformConnection", name: "shared" };
    const [file] = filesOf(inventory(), { ...home, connectionRef, observeOnly: true });
    expect(file?.documents[0]?.manifest).toMatchObject({ spec: { connectionRef, lifecycle: observed } });
  });
});

it("an export mentions the services that it omits", () => {
  const others = [
    { id: id(4), name: "cron", serviceType: "JOB" },
    { id: id(5), name: "cache", serviceType: "HELM", blueprintId: id(6) },
  ];
  const [file] = filesOf(inventory(environment({ others })), home);
  expect(file?.documents.slice(2).flatMap(({ comments }) => comments)).toEqual([
    `Omitted: job "cron" (${id(4)}), because no kind describes services of this type.`,
    `Omitted: helm "cache" (${id(5)}), because it comes from the blueprint ${id(6)}, whose catalog and icon the platform does not show.`,
  ]);
});

it("the YAML of an export contains only its manifests, whatever text the platform's fields contain", () => {
  const evil = 'x"\nkind: Secret\u2028- {} # \u0085---\nmetadata:';
  const applications = [found({}, { variables: [evil] })];
  const files = filesOf(inventory(environment({ applications, record: undefined })), home);
  const documents = files.flatMap((file) => file.documents);
  const yaml = yamlOf(documents, [evil]);
  const kinds = parseAllDocuments(yaml).map((document) => (document.toJS() as { kind?: string } | null)?.kind);
  expect(kinds.filter((kind) => kind !== undefined)).toEqual(["PlatformProject", "PlatformApplication"]);
  expect(yaml).toContain("# kind: PlatformEnvironment\n");
  expect(yaml).toContain("#   clusterRef:\n#     externalId: FILL-IN\n");
});

const SECRET = "correct-horse";

const fields = [
  { key: "domain", type: "string", required: true, sensitive: false, constraints: {} },
  { key: "token", type: "string", required: false, sensitive: true, constraints: {} },
];
const ingress = { modes: [], componentKeys: ["ingress"], components: [{ key: "ingress", fields }] };
const layer = { key: "base", mandatory: true, enabledByDefault: true, ...ingress };
const template: Template = { key: "essentials", version: "1.2.0", status: "PUBLISHED", layers: [layer] };

const bound = (more: Partial<Binding> = {}): Binding => ({
  templateKey: "essentials",
  templateVersion: "1.2.0",
  layerSelections: { gpu: false, odd: "yes" },
  managedConfig: { ingress: { domain: "shop.example.com" } },
  layers: [],
  ...more,
});

function exportedCluster(binding: Binding | undefined, present: Home["present"] = []) {
  const record = { id: id(1), name: "Production EU" };
  const clusters = [{ record, status: undefined, binding, templates: [template] }];
  return filesOf({ ...inventory(), projects: [], clusters }, { ...home, present })[0]?.documents ?? [];
}

describe("the manifests of an exported cluster", () => {
  it("adopt the cluster by its id", () => {
    const metadata = { name: "production-eu", namespace: "shop" };
    const manifest = expect.objectContaining({ metadata, spec: { externalId: id(1) } });
    expect(exportedCluster(undefined)).toEqual([{ comments: ['Cluster "Production EU".'], manifest }]);
  });

  it("contain the template that is bound to it and its values", () => {
    const [, binding] = exportedCluster(bound());
    expect(binding?.comments).toEqual([]);
    expect(binding?.manifest?.["spec"]).toMatchObject({
      clusterRef: { name: "production-eu" },
      template: { key: "essentials", version: "1.2.0" },
      layerSelections: { gpu: false },
      managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
    });
  });

  it.each<[string, Partial<Binding>, string]>([
    ["a secret field", { managedConfig: { ingress: { token: SECRET } } }, "managedConfig.ingress.token."],
    [
      "a field that the template does not describe",
      { managedConfig: { other: { field: SECRET } } },
      "managedConfig.other.field.",
    ],
    [
      "an input of the customer",
      { customerProvidedInputs: { ingress: { key: SECRET } } },
      "customerProvidedInputs.ingress.key.",
    ],
    [
      "a version of the template that no longer exists",
      { templateVersion: "1.0.0" },
      'template "essentials" version "1.0.0" is no longer',
    ],
  ])("with %s are a comment without values that may be secret", (_what, more, words) => {
    const document = exportedCluster(bound(more))[1];
    expect(document).toMatchObject({ disabled: true });
    expect(document?.comments.join(" ")).toContain(words);
    expect(JSON.stringify(document)).not.toContain(SECRET);
  });

  it("are omitted where resources have the same ids already", () => {
    const present = [
      { kind: "PlatformCluster", name: "eu", id: id(1) },
      { kind: "PlatformBinding", name: "eu", id: `binding/${id(1)}` },
    ];
    expect(exportedCluster(bound(), present).map(({ manifest }) => manifest)).toEqual([undefined, undefined]);
  });
});

describe("the manifest of an exported webhook", () => {
  const hook = { targetUrl: "https://ci.example.com/hooks/platform", events: ["DEPLOYMENT_FAILURE"], record: {} };
  const exportedHook = (more: Partial<Webhook> = {}) => {
    const webhooks: Webhook[] = [{ id: id(7), ...hook, ...more }];
    return filesOf({ ...inventory(), projects: [], webhooks }, home)[0]?.documents[0];
  };

  it("has what the platform returns, without what it returns for settings that are not set", () => {
    const unset = { kind: "STANDARD", description: "", enabled: true, projectNamesFilter: [], targetSecretSet: false };
    expect(exportedHook({ ...unset, environmentTypesFilter: [] })).toEqual({
      comments: ["Webhook to https://ci.example.com/…."],
      manifest: {
        apiVersion: "platform-operator.io/v1alpha1",
        kind: "PlatformWebhook",
        metadata: { name: "ci-example-com", namespace: "shop" },
        spec: {
          targetUrl: hook.targetUrl,
          events: hook.events,
          externalId: id(7),
          lifecycle: { deletionPolicy: "Retain" },
        },
      },
    });
  });

  it("has its description, its filters, and that it is disabled", () => {
    const more = { description: "CI", enabled: false, projectNamesFilter: ["web*"] };
    expect(exportedHook(more)?.manifest).toMatchObject({ metadata: { name: "ci" }, spec: more });
  });

  it("says that the platform has a secret that is not exported", () => {
    const document = exportedHook({ targetSecretSet: true });
    expect(document).not.toHaveProperty("disabled");
    expect(document?.comments.join(" ")).toContain("set spec.targetSecretRef before you change anything");
  });

  it.each<[string, Partial<Webhook>]>([
    ["a password", { targetUrl: `https://ci:${SECRET}@ci.example.com/hooks` }],
    ["a query", { targetUrl: `https://ci.example.com/hooks?key=${SECRET}` }],
    ["a path that is a key", { targetUrl: `https://ci.example.com/services/${SECRET}`, kind: "SLACK" }],
  ])("is a comment without the URL where that has %s", (_what, more) => {
    const document = exportedHook(more);
    expect(document).toMatchObject({ disabled: true });
    expect(document?.manifest?.["spec"]).toMatchObject({ targetUrl: "https://ci.example.com/FILL-IN" });
    expect(JSON.stringify(document)).not.toContain(SECRET);
  });
});

it.each([
  ["  Müller & Söhne (EU) ", "muller-sohne-eu"],
  ["api_v2.1", "api-v2-1"],
  ["Web Shop", "web-shop"],
  ["--x--", "x"],
  ["東京", ""],
  ["a".repeat(80), "a".repeat(63)],
])("dnsLabel(%j) is %j", (text, label) => {
  expect(dnsLabel(text)).toBe(label);
});

it("namesFor() takes the short name where it is unique, then the long one, then one with a part of the id", () => {
  const names = namesFor(
    [
      { id: id(1), preferredNames: ["API", "staging API"] },
      { id: id(2), preferredNames: ["api", "production api"] },
      { id: id(3), preferredNames: ["web", "staging web"] },
      { id: id(4), preferredNames: ["taken", "staging taken"] },
      { id: id(5), preferredNames: ["worker", "same worker"] },
      { id: id(6), preferredNames: ["Worker", "same Worker"] },
      { id: id(7), preferredNames: ["東京"] },
    ],
    new Set(["taken"]),
  );
  expect([...names.values()].toSorted()).toEqual([
    ...["id-00000007", "production-api", "staging-api", "staging-taken", "web"],
    ...["worker-00000005", "worker-00000006"],
  ]);
});

it("namesFor() returns valid and unique names, whatever the platform's names are", () => {
  const preferredNames = fc.array(fc.oneof(fc.string(), fc.constantFrom("a", "A b")), { maxLength: 3 });
  const things = fc.uniqueArray(fc.record({ id: fc.uuid(), preferredNames }), { selector: (one) => one.id });
  fc.assert(
    fc.property(things, fc.array(fc.constantFrom("a", "a-b")), (list, taken) => {
      const names = namesFor(list, new Set(taken));
      expect(names.size).toBe(list.length);
      expect(new Set([...names.values(), ...taken]).size).toBe(list.length + new Set(taken).size);
      for (const name of names.values()) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    }),
  );
});
