import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { API_VERSION, GROUP } from "../../src/api/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import { kubectl } from "../control-plane/access.ts";
import { ID, OTHER_ID } from "../samples/sample.ts";
import {
  ACCEPTED,
  REFUSED,
  REFUSED_BY_LIST_TYPE,
  SMALLEST,
  type SpecCase,
  specOf,
} from "../support/kinds/spec-cases.ts";

const cluster = inject("controlPlane");
const namespace = "crds-test";
const root = join(import.meta.dirname, "../..");

const Stored = z.object({ spec: z.record(z.string(), z.unknown()), status: z.unknown() });

/** A manifest of the kind; the namespace is ignored for cluster-scoped ones. */
function manifest(kind: string, name: string, spec: unknown, more: object = {}): string {
  const scoped = kind === "ClusterPlatformConnection" ? {} : { namespace };
  return JSON.stringify({ apiVersion: API_VERSION, kind, metadata: { name, ...scoped }, spec, ...more });
}

const apply = async (input: string, ...flags: readonly string[]): Promise<string> =>
  kubectl(cluster, ["apply", "-f", "-", ...flags], { input });

const patchStatus = async (kind: string, name: string, status: object): Promise<string> => {
  const patch = JSON.stringify({ status });
  return kubectl(cluster, ["patch", kind, name, "-n", namespace, "--subresource=status", "--type=merge", "-p", patch]);
};

const read = async (kind: string, name: string): Promise<z.infer<typeof Stored>> =>
  Stored.parse(JSON.parse(await kubectl(cluster, ["get", kind, name, "-n", namespace, "-o", "json"])));

beforeAll(async () => {
  await kubectl(cluster, ["create", "namespace", namespace]);
  await kubectl(cluster, ["apply", "-f", join(root, "examples/quickstart/00-namespace.yaml")]);
});

afterAll(async () => {
  const namespaced = RESOURCES.filter(({ scope }) => scope === "Namespaced").map(({ plural }) => plural);
  await kubectl(cluster, ["delete", namespaced.join(","), "-n", namespace, "--all"]);
  await kubectl(cluster, ["delete", "clusterplatformconnection", "fixed"]);
});

describe("the CRDs", () => {
  it("are taken without a warning", async () => {
    const flags = ["--warnings-as-errors", "--server-side", "--force-conflicts", "--dry-run=server"];
    const answer = await kubectl(cluster, ["apply", ...flags, "-f", join(root, "crds")]);
    expect(answer.match(/serverside-applied/g)).toHaveLength(RESOURCES.length);
  });

  it.each(RESOURCES)("of $kind are established and structural", async ({ plural }) => {
    const path = "jsonpath={range .status.conditions[*]}{.type}={.status} {end}";
    const conditions = await kubectl(cluster, ["get", "crd", `${plural}.${GROUP}`, "-o", path]);
    expect(conditions.trim().split(" ").toSorted()).toEqual(["Established=True", "NamesAccepted=True"]);
  });

  it.each(RESOURCES.filter(({ selectableFields }) => selectableFields.length > 0))(
    "of $kind let their fields select",
    async ({ plural, selectableFields }) => {
      const selector = selectableFields.map((path) => `${path.slice(1)}=none`).join(",");
      expect(await kubectl(cluster, ["get", plural, "-A", "--field-selector", selector, "-o", "name"])).toBe("");
    },
  );

  it.each(RESOURCES)("explain $kind", async ({ plural, description }) => {
    const [first] = description.split(" on ");
    const explained = await kubectl(cluster, ["explain", plural]);
    expect(explained.replaceAll(/\s+/g, " ")).toContain(first);
  });
});

describe("the API server", () => {
  const named = <Case extends SpecCase>(cases: readonly Case[]) =>
    cases.map((given, index) => ({ ...given, name: `case-${index}` }));
  const stream = (cases: readonly (SpecCase & { readonly name: string })[]) =>
    cases.map((given) => manifest(given.kind, given.name, specOf(given))).join("\n---\n");

  it("takes every spec that is meant to be taken", async () => {
    const cases = named(ACCEPTED);
    const answer = await apply(stream(cases), "--dry-run=server");
    expect(answer.match(/created \(server dry run\)/g)).toHaveLength(cases.length);
  });

  describe("refuses", () => {
    const cases = [...REFUSED, ...REFUSED_BY_LIST_TYPE];
    let answers = "";

    beforeAll(async () => {
      // One kubectl for all: it continues after an error, and names the object in each.
      answers = await apply(stream(named(cases)), "--dry-run=server").then(String, String);
    });

    it.each(named(cases))("a $kind with $title", ({ kind, name, refused }) => {
      const about = `${kind}.${GROUP} "${name}" is invalid`;
      expect(answers.split(/^(?=Error from server)/m).find((answer) => answer.includes(about))).toMatch(refused);
    });

    it("all of them", () => {
      expect(answers).not.toContain("created");
    });
  });

  it.each(RESOURCES)("refuses a $kind without spec, and one with a field that it does not know", async ({ kind }) => {
    await expect(apply(manifest(kind, "case", undefined), "--dry-run=server")).rejects.toThrow(/spec: Required value/);
    const spec = { ...SMALLEST[kind], color: "blue" };
    await expect(apply(manifest(kind, "case", spec), "--dry-run=server")).rejects.toThrow(/unknown field "spec.color"/);
  });

  it("drops unknown fields of clients that do not ask for strictness", async () => {
    const spec = { name: "pruned", color: "blue" };
    await apply(manifest("PlatformProject", "pruned", spec), "--validate=ignore");
    expect((await read("PlatformProject", "pruned")).spec).toEqual({ name: "pruned" });
  });

  it("writes no defaults into a spec, and one into the status", async () => {
    await apply(manifest("PlatformApplication", "plain", SMALLEST["PlatformApplication"]));
    expect(await read("PlatformApplication", "plain")).toEqual({
      spec: SMALLEST["PlatformApplication"],
      status: { observedGeneration: -1 },
    });
  });

  it("keeps what a patch of the status brings, unknown members of a mark included", async () => {
    await apply(manifest("PlatformApplication", "marked", SMALLEST["PlatformApplication"]));
    const mark = { any: [1, { thing: true }] };
    const ids = { uid: ID, installation: ID, attempt: ID };
    const intent = { v: 1, ...ids, op: "deployApplication", creates: false, generation: 1, mark };
    await patchStatus("PlatformApplication", "marked", { observedGeneration: 1, intent });
    expect((await read("PlatformApplication", "marked")).status).toEqual({ observedGeneration: 1, intent });
  });

  it("refuses a condition that breaks the rules of metav1.Condition", async () => {
    await apply(manifest("PlatformProject", "conditions", SMALLEST["PlatformProject"]));
    const lastTransitionTime = "2026-11-21T10:00:00Z";
    const condition = { type: "Ready", status: "True", reason: "Two words", message: "", lastTransitionTime };
    await expect(patchStatus("PlatformProject", "conditions", { conditions: [condition] })).rejects.toThrow(
      /reason.*should match/,
    );
  });
});

interface Lock {
  readonly kind: string;
  readonly change: object;
  readonly says: RegExp;
}

describe("once status.externalId is set", () => {
  const locks: readonly Lock[] = [
    { kind: "PlatformEnvironment", change: { projectRef: { name: "other" } }, says: /spec.projectRef cannot be/ },
    {
      kind: "PlatformEnvironment",
      change: { clusterRef: { externalId: OTHER_ID } },
      says: /spec.clusterRef cannot be/,
    },
    { kind: "PlatformApplication", change: { environmentRef: { name: "b" } }, says: /spec.environmentRef cannot be/ },
    { kind: "PlatformDatabase", change: { environmentRef: { name: "b" } }, says: /spec.environmentRef cannot be/ },
    { kind: "PlatformDatabase", change: { type: "REDIS" }, says: /spec.type cannot be changed once/ },
    { kind: "PlatformDatabase", change: { mode: "CONTAINER" }, says: /spec.mode cannot be changed once/ },
    { kind: "PlatformBinding", change: { clusterRef: { externalId: OTHER_ID } }, says: /spec.clusterRef cannot be/ },
  ];

  it.each(locks)("a $kind does not take $change any more, but did before", async ({ kind, change, says }) => {
    const name = `locked-${Object.keys(change).join("-").toLowerCase()}-${kind.toLowerCase()}`;
    await apply(manifest(kind, name, SMALLEST[kind]));
    const changed = manifest(kind, name, { ...SMALLEST[kind], ...change });
    expect(await apply(changed, "--dry-run=server")).toContain("configured");
    await patchStatus(kind, name, { externalId: OTHER_ID });
    await expect(apply(changed, "--dry-run=server")).rejects.toThrow(says);
    // The status can be written on, and other fields can change.
    await patchStatus(kind, name, { observedGeneration: 1 });
  });

  it("a binding is locked by what is bound as well", async () => {
    const { PlatformBinding: spec } = SMALLEST;
    await apply(manifest("PlatformBinding", "bound", spec));
    await patchStatus("PlatformBinding", "bound", { templateKey: "base" });
    const moved = manifest("PlatformBinding", "bound", { ...spec, clusterRef: { externalId: OTHER_ID } });
    await expect(apply(moved)).rejects.toThrow(/cannot be changed once the template is bound/);
  });
});

describe("spec.externalId", () => {
  const kinds = ["PlatformProject", "PlatformEnvironment", "PlatformApplication", "PlatformDatabase"];

  it.each(kinds)("of a %s may be set later, but then neither changed nor cleared", async (kind) => {
    const name = `adopted-${kind.toLowerCase()}`;
    await apply(manifest(kind, name, SMALLEST[kind]));
    await apply(manifest(kind, name, { ...SMALLEST[kind], externalId: ID }));
    const refused = /spec.externalId cannot be changed or removed once it is set/;
    await expect(apply(manifest(kind, name, { ...SMALLEST[kind], externalId: OTHER_ID }))).rejects.toThrow(refused);
    await expect(apply(manifest(kind, name, SMALLEST[kind]))).rejects.toThrow(refused);
  });
});

describe("an operation", () => {
  const render = {
    type: "RenderHelmDefaultValues",
    environmentRef: { name: "staging" },
    source: { helm_repository: { chart_name: "redis" } },
    outputConfigMap: "redis",
  };

  it.each([
    ["a limit", { backoffLimit: 1 }],
    ["its time to live", { ttlSecondsAfterFinished: 60 }],
    ["a member of the source", { source: { helm_repository: { chart_name: "mysql" } } }],
    ["the variant of the source", { source: { git_repository: { url: "https://git.example.com/a.git" } } }],
    ["its policies", { lifecycle: { applyPolicy: "Manual" } }],
  ])("never takes another spec: %s", async (_title, change) => {
    await apply(manifest("PlatformOperation", "fixed", render));
    await expect(apply(manifest("PlatformOperation", "fixed", { ...render, ...change }))).rejects.toThrow(
      /spec cannot be changed: it is one action/,
    );
    expect(await apply(manifest("PlatformOperation", "fixed", render))).toContain("unchanged");
  });
});

describe("a connection", () => {
  it.each(["PlatformConnection", "ClusterPlatformConnection"])("(%s) stays where it is", async (kind) => {
    const spec = SMALLEST[kind];
    await apply(manifest(kind, "fixed", spec));
    await expect(apply(manifest(kind, "fixed", { ...spec, organizationId: OTHER_ID }))).rejects.toThrow(
      /spec.organizationId cannot be changed/,
    );
    await expect(apply(manifest(kind, "fixed", { ...spec, baseUrl: "https://evil.example" }))).rejects.toThrow(
      /spec.baseUrl cannot be changed/,
    );
    expect(await apply(manifest(kind, "fixed", { ...spec, pathPrefix: "/api/v1" }))).toContain("configured");
  });
});

describe("the operator's rights", () => {
  it("are taken by the API server, in the order of the files' names", async () => {
    const answer = await kubectl(cluster, ["apply", "-f", join(root, "deploy/rbac")]);
    expect(answer).toContain("clusterrole.rbac.authorization.k8s.io/platform-operator ");
  });
});
