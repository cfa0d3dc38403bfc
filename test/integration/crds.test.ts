import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import {
  API_VERSION,
  APPROVED_PLAN,
  EXTERNAL_ID,
  FINALIZER,
  PAUSED,
  POLL_INTERVAL,
  RESOLVE,
  RUN_UNTIL,
} from "../../src/api/names.ts";
import { TYPES } from "../../src/config/kinds.ts";
import { OPERATOR } from "../../src/config/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import { KubeError } from "../../src/kube/api/errors.ts";
import { collectionPath, objectPath } from "../../src/kube/api/paths.ts";
import { type KubeQuery, mergePatch } from "../../src/kube/api/transport.ts";
import type { Json, JsonObject, ResourceType } from "../../src/kube/api/types.ts";
import { applyAll, kubectl } from "../control-plane/access.ts";
import { ID, OTHER_ID } from "../samples/sample.ts";
import { clientAt, cluster, createNamespace, type Manifest } from "../support/env/cluster.ts";
import { manifestsIn } from "../support/env/manifests.ts";
import { ACCEPTED, REFUSED, REFUSED_BY_LIST_TYPE, SMALLEST, specOf } from "../support/kinds/spec-cases.ts";
import { project } from "../support/kube/manifests.ts";

const facts = inject("controlPlane");
const namespace = "crds-test";
const root = join(import.meta.dirname, "../..");
const STRICT = { fieldValidation: "Strict" } as const;
const DRY = { ...STRICT, dryRun: "All" } as const;

const client = clientAt(facts.kubeconfigPath, "crds-test");
let names = 0;
const here = cluster(() => client, namespace);

const typeOf = (kind: string): ResourceType =>
  TYPES.find((type) => type.kind === kind) ?? expect.fail(`there is no kind ${kind}`);

const create = async (kind: string, name: string, spec: unknown, query: KubeQuery = STRICT): Promise<Json> => {
  const body = { apiVersion: API_VERSION, kind, metadata: { name }, spec } as JsonObject;
  return client.request({ method: "POST", path: collectionPath(typeOf(kind), namespace), query, body });
};

/** Returns the API server's message about a refused request; "" if it accepts the request. */
const refusal = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => "",
    (error: unknown) => (error instanceof KubeError ? error.serverMessage() : undefined) ?? expect.fail(String(error)),
  );

/** Creates an object with the smallest spec of its kind. @returns its name */
const made = async (kind: string, spec: unknown = SMALLEST[kind]): Promise<string> => {
  names += 1;
  const name = `made-${names}`;
  await create(kind, name, spec);
  return name;
};

const change = async (kind: string, name: string, spec: object, query: KubeQuery = STRICT): Promise<Json> =>
  client.request(mergePatch(objectPath(typeOf(kind), { namespace, name }), { spec: spec as JsonObject }, { query }));

beforeAll(() => createNamespace(client, namespace));

afterAll(async () => {
  for (const type of TYPES.filter(({ namespaced }) => namespaced)) {
    await client.request({ method: "DELETE", path: collectionPath(type, namespace) });
  }
  await here.remove("ClusterPlatformConnection", "fixed");
  await client.close();
});

describe("the CRDs", () => {
  it("are accepted by the API server without a warning", async () => {
    const flags = ["--warnings-as-errors", "--server-side", "--force-conflicts", "--dry-run=server"];
    const answer = await kubectl(facts, ["apply", ...flags, "-f", join(root, "crds")]);
    expect(answer.match(/serverside-applied/g)).toHaveLength(RESOURCES.length);
  });

  it.each(RESOURCES.filter(({ selectableFields }) => selectableFields.length > 0))(
    "of $kind allow field selectors for its selectable fields",
    async ({ kind, selectableFields }) => {
      const fieldSelector = selectableFields.map((path) => `${path.slice(1)}=none`).join(",");
      const path = collectionPath(typeOf(kind));
      expect(await client.request({ method: "GET", path, query: { fieldSelector } })).toMatchObject({ items: [] });
    },
  );
});

describe("the API server", () => {
  it("accepts every spec that should be valid", async () => {
    const answers = await Promise.all(
      ACCEPTED.map(async (given) => [
        `${given.kind} with ${given.title}`,
        await refusal(create(given.kind, "accepted", specOf(given), DRY)),
      ]),
    );
    expect(answers.filter(([, says]) => says !== "")).toEqual([]);
  });

  it.each([...REFUSED, ...REFUSED_BY_LIST_TYPE])("refuses a $kind with $title", async ({ refused, ...given }) => {
    expect(await refusal(create(given.kind, "refused", specOf(given), DRY))).toMatch(refused);
  });

  it.each(RESOURCES)("refuses a $kind without a spec, and with an unknown field in the spec", async ({ kind }) => {
    expect(await refusal(create(kind, "case", undefined, DRY))).toContain("spec: Required value");
    const spec = { ...SMALLEST[kind], color: "blue" };
    expect(await refusal(create(kind, "case", spec, DRY))).toContain('unknown field "spec.color"');
  });
});

describe("a field that identifies an object", () => {
  const id = { externalId: OTHER_ID };

  it.each([
    ["PlatformEnvironment", { projectRef: { name: "other" } }, id, /spec.projectRef cannot be/],
    ["PlatformEnvironment", { clusterRef: { externalId: OTHER_ID } }, id, /spec.clusterRef cannot be/],
    ["PlatformApplication", { environmentRef: { name: "b" } }, id, /spec.environmentRef cannot be/],
    ["PlatformDatabase", { environmentRef: { name: "b" } }, id, /spec.environmentRef cannot be/],
    ["PlatformDatabase", { type: "REDIS" }, id, /spec.type cannot be changed once/],
    ["PlatformDatabase", { mode: "CONTAINER" }, id, /spec.mode cannot be changed once/],
    ["PlatformBinding", { clusterRef: { externalId: OTHER_ID } }, id, /spec.clusterRef cannot be/],
    [
      "PlatformBinding",
      { clusterRef: { externalId: OTHER_ID } },
      { templateKey: "base" },
      /once the template is bound/,
    ],
  ])("of a %s can change until the status records its object, not later: %j", async (kind, spec, status, says) => {
    const name = await made(kind);
    await change(kind, name, spec, DRY);
    await here.patch(kind, name, { status }, "status");
    expect(await refusal(change(kind, name, spec))).toMatch(says);
    // The status can be written on.
    await here.patch(kind, name, { status: { observedGeneration: 1 } }, "status");
  });
});

describe("the API server", () => {
  const kinds = ["PlatformProject", "PlatformEnvironment", "PlatformApplication", "PlatformDatabase"];

  it.each(kinds)(
    "lets spec.externalId of a %s be corrected until the status records it, and not afterwards",
    async (kind) => {
      const name = await made(kind);
      for (const externalId of [OTHER_ID, null, ID]) await change(kind, name, { externalId });
      const path = `${objectPath(typeOf(kind), { namespace, name })}/status`;
      await client.request(mergePatch(path, { status: { externalId: ID } }));
      for (const externalId of [OTHER_ID, null]) {
        const says = /spec.externalId cannot be changed or removed once status.externalId records it/;
        expect(await refusal(change(kind, name, { externalId }))).toMatch(says);
      }
    },
  );

  it.each(["PlatformConnection", "ClusterPlatformConnection"])(
    "refuses another host or organization of a %s",
    async (kind) => {
      await create(kind, "fixed", SMALLEST[kind]);
      const saysTo = async (spec: object) => refusal(change(kind, "fixed", spec));
      expect(await saysTo({ organizationId: OTHER_ID })).toContain("spec.organizationId cannot be changed");
      expect(await saysTo({ baseUrl: "https://evil.example" })).toContain("spec.baseUrl cannot be changed");
      expect(await saysTo({ pathPrefix: "/api/v1" })).toBe("");
    },
  );
});

/** Of deploy/install.yaml, for the values of annotations, bound to the namespace of this file. */
describe("the admission policy of deploy/install.yaml", () => {
  const noted = (name: string, annotations: Readonly<Record<string, string>>, finalizers: string[] = []): Manifest => ({
    ...project(name),
    metadata: { name, annotations, finalizers },
  });
  const annotate = async (key: string, value: string): Promise<string> =>
    refusal(here.annotate("PlatformProject", "noted", { [key]: value }));

  beforeAll(async () => {
    const annotations = { [RESOLVE]: "kept" };
    await here.apply(noted("noted", annotations), noted("leaving", annotations, [FINALIZER]));
    const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
    const bound = { policyName: namespace, matchResources };
    const items = manifestsIn(readFileSync(join(root, "deploy/install.yaml"), "utf8"))
      .filter(({ kind, metadata }) => kind.startsWith("ValidatingAdmissionPolicy") && metadata.name === OPERATOR)
      .map((manifest) => ({
        ...manifest,
        metadata: { name: namespace },
        spec: { ...(manifest["spec"] as JsonObject), ...(manifest.kind.endsWith("Binding") && bound) },
      }));
    await applyAll(facts, items);
    // Until the policy is in force, wrong values are stored; it lets a stored one be.
    let tries = 0;
    await vi.waitUntil(async () => (await annotate(PAUSED, `on-${(tries += 1)}`)) !== "", 15_000);
  });

  afterAll(() => kubectl(facts, ["delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", namespace]));

  it.each([
    [POLL_INTERVAL, "10", 'must be a duration such as "90s" or "1h30m"'],
    [RUN_UNTIL, "tomorrow", 'must be a time such as "2026-11-24T22:30:00Z" or "2026-11-24T23:30:00+01:00"'],
    [RESOLVE, "proceed", 'must be "recreate:", "proceed:" or "adopt:" with what the message of the object names'],
    [APPROVED_PLAN, "yes", "must be the hash in status.plan, 16 hex digits"],
    [EXTERNAL_ID, "shop", "must be a UUID"],
  ])(`refuses the annotation %s with the value "%s"`, async (key, value, must) => {
    const says = `metadata.annotations[${key}]: Invalid value: "${value}": ${must}`;
    expect(await annotate(key, value)).toContain(says);
    expect(await refusal(here.apply(noted("wrong", { [key]: value })))).toContain(says);
  });

  it("allows only users with the verb approve to approve a plan, whoever else may change the resource", async () => {
    const kinds = "--resource=platformprojects.platform-operator.io";
    const verbs = { editor: "get,patch,create", approver: "get,patch,create,approve" };
    for (const [name, verb] of Object.entries(verbs)) {
      await kubectl(facts, ["-n", namespace, "create", "role", name, kinds, `--verb=${verb}`]);
      await kubectl(facts, ["-n", namespace, "create", "rolebinding", name, `--role=${name}`, `--user=${name}`]);
    }
    const said = (args: readonly string[], input = ""): Promise<string> =>
      kubectl(facts, ["-n", namespace, ...args], { input }).then(
        () => "",
        (error: unknown) => String(error),
      );
    const approve = (user: string, hash: string): Promise<string> =>
      said(["annotate", "--overwrite", "platformproject/noted", `--as=${user}`, `${APPROVED_PLAN}=${hash}`]);
    const says = 'you need the verb "approve"';
    expect(await approve("editor", "0123456789abcdef")).toContain(says);
    const born = JSON.stringify(noted("approved-at-once", { [APPROVED_PLAN]: "0123456789abcdef" }));
    expect(await said(["create", "-f", "-", "--as=editor"], born)).toContain(says);
    expect(await approve("approver", "0123456789abcdef")).toBe("");
    // An approval of another person does not keep the resource from changes.
    const labelled = JSON.stringify({ metadata: { labels: { team: "a" } } });
    const patch = ["patch", "platformproject/noted", "--as=editor", "--type=merge", "-p", labelled];
    expect(await said(patch)).toBe("");
    expect(await approve("editor", "fedcba9876543210")).toContain(says);
  });

  it.each(["True", "1", "yes", "no", "false"])(
    "accepts the annotation paused=%s beside an older annotation with an invalid value",
    async (value) => {
      expect(await annotate(PAUSED, value)).toBe("");
    },
  );

  it("accepts any value on an object that is being deleted, so that it delays no deletion", async () => {
    await here.remove("PlatformProject", "leaving");
    const metadata = { annotations: { [RESOLVE]: "other" }, finalizers: null };
    await here.patch("PlatformProject", "leaving", { metadata });
    expect(await here.find("PlatformProject", "leaving")).toBeUndefined();
  });
});
