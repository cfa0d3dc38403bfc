/** A real API server refuses hostile ids and oversized values. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { API_VERSION, GROUP, VERSION } from "../../src/api/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import { KubeError } from "../../src/kube/api/errors.ts";
import { collectionPath } from "../../src/kube/api/paths.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { clientAt } from "../support/env/cluster.ts";
import { HOSTILE_IDS } from "../support/hostile/ids.ts";
import { SMALLEST } from "../support/kinds/spec-cases.ts";
import { figure } from "../support/platform/figure.ts";

const { kubeconfigPath } = inject("controlPlane");
let client: ConnectedClient;

beforeAll(() => {
  client = clientAt(kubeconfigPath, "hostile");
});

afterAll(() => client.close());

type Spec = (hostile: string) => JsonObject;
const ref = (member: string): Spec[] => [
  (name) => ({ [member]: { name } }),
  (externalId) => ({ [member]: { externalId } }),
];
const variable = (from: object): JsonObject => ({ variables: [{ name: "A", valueFrom: { ...from } }] });

/** Fields whose values go into paths, each merged into the smallest spec of its kind. */
const FIELDS: readonly (readonly [kind: string, specs: readonly Spec[]])[] = [
  [
    "PlatformConnection",
    [
      (organizationId) => ({ organizationId }),
      (name) => ({ auth: { tokenSecretRef: { name } } }),
      (id) => ({ allowedProjects: [id] }),
    ],
  ],
  ["PlatformProject", [(externalId) => ({ externalId }), (name) => ({ connectionRef: { name } })]],
  ["PlatformEnvironment", [(externalId) => ({ externalId }), ...ref("projectRef"), ...ref("clusterRef")]],
  [
    "PlatformApplication",
    [
      (externalId) => ({ externalId }),
      ...ref("environmentRef"),
      (name) => variable({ secretKeyRef: { name, key: "a" } }),
      (name) => variable({ configMapKeyRef: { name, key: "a" } }),
    ],
  ],
  ["PlatformDatabase", [(externalId) => ({ externalId }), ...ref("environmentRef")]],
  ["PlatformBlueprint", [(externalId) => ({ externalId }), ...ref("environmentRef")]],
  ["PlatformCluster", [(externalId) => ({ externalId }), (credentialsId) => ({ credentialsId })]],
  ["PlatformBinding", [...ref("clusterRef")]],
  ["PlatformVariableSet", [(name) => ({ variablesFrom: [{ secretRef: { name } }] })]],
  ["PlatformOperation", [(name) => ({ type: "StopDatabase", databaseRef: { name } })]],
];

/** @returns whether the API server accepts it in a dry run. @throws KubeError for another failure than Invalid */
async function isAccepted(kind: string, spec: JsonObject): Promise<boolean> {
  const resource = RESOURCES.find((one) => one.kind === kind);
  const type = { group: GROUP, version: VERSION, kind, plural: resource?.plural ?? "", namespaced: true };
  const body = { apiVersion: API_VERSION, kind, metadata: { name: "hostile" }, spec };
  try {
    const query = { dryRun: "All", fieldValidation: "Strict" };
    await client.request({ method: "POST", path: collectionPath(type, "default"), query, body, timeoutMs: 30_000 });
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.failure === "Invalid") return false;
    throw error;
  }
}

const specWith = (kind: string, change: JsonObject): JsonObject => ({ ...(SMALLEST[kind] as JsonObject), ...change });

describe("[E1] the API server", () => {
  it.each(FIELDS)("refuses hostile ids and names of a %s", async (kind, specs) => {
    const changes = specs.flatMap((spec) => HOSTILE_IDS.map((hostile) => spec(hostile)));
    const accepted = await Promise.all(changes.map(async (change) => isAccepted(kind, specWith(kind, change))));
    expect(changes.filter((_change, at) => accepted[at]).map((change) => JSON.stringify(change))).toEqual([]);
  });

  it("accepts the same kinds with valid values", async ({ task }) => {
    for (const [kind] of FIELDS) expect(await isAccepted(kind, specWith(kind, {})), kind).toBe(true);
    figure(task, "0 hostile ids accepted", FIELDS.flatMap(([, specs]) => specs).length * HOSTILE_IDS.length);
  });
});

describe("[E5] the API server", () => {
  const MIB = "x".repeat(1_048_576);
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  const members = (count: number): JsonObject => Object.fromEntries(many(count, (at) => [`k${at}`, true]));

  const OVERSIZED: readonly (readonly [title: string, kind: string, change: JsonObject])[] = [
    ["a name of 1 MiB", "PlatformProject", { name: MIB }],
    ["a value of 1 MiB", "PlatformApplication", { variables: [{ name: "A", value: MIB }] }],
    ["10,000 variables", "PlatformApplication", { variables: many(10_000, (at) => ({ name: `V${at}`, value: "1" })) }],
    ["1,000 ports", "PlatformApplication", { ports: many(1_000, (at) => ({ internalPort: at + 1 })) }],
    ["1,000 variables", "PlatformVariableSet", { variables: many(1_000, (at) => ({ name: `V${at}`, value: "1" })) }],
    ["1,000 targets", "PlatformVariableSet", { targets: many(1_000, () => ({ applicationRef: { name: "a" } })) }],
    ["1,000 variables", "PlatformBlueprint", { variables: many(1_000, (at) => ({ name: `V${at}`, value: "1" })) }],
    ["an icon of 1 MiB", "PlatformBlueprint", { icon: `https://x.example/${MIB}` }],
    ["1,000 layers", "PlatformBinding", { layerSelections: members(1_000) }],
    ["1,000 components", "PlatformBinding", { managedConfig: Object.fromEntries(many(1_000, (at) => [`c${at}`, {}])) }],
    ["a URL of 1 MiB", "PlatformConnection", { baseUrl: `https://${MIB}` }],
    ["a line break", "PlatformProject", { name: "a\nb" }],
    ["a NUL in a commit", "PlatformApplication", { deploy: { gitCommitId: "abcdef1\u0000" } }],
  ];

  it.each(OVERSIZED)("refuses %s of a %s", async (_title, kind, change) => {
    expect(await isAccepted(kind, specWith(kind, change))).toBe(false);
  });
});
