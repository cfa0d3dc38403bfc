/**
 * The chart with every variant of its values: each value has an effect, and kube-score, the static checks and a real API
 * server accept the output.
 */
import { join } from "node:path";

import { beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { valueDefaults } from "../../scripts/chart/files.ts";
import { kubectl } from "../control-plane/access.ts";
import { textOf } from "../support/examples/pages.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { findGoTool, goModuleFolder } from "../tools/go-tools.ts";
import { installCrds } from "./foreign-crds.ts";
import { manifestsIn, openHelm, type Rendered, template } from "./helm.ts";
import { findingsIn } from "./static-checks.ts";
import { pathsOf, VARIANTS, without } from "./variants.ts";

const NAMESPACE = "platform-operator";
/** The checks of kube-score that the chart does not pass: its README has the reasons. */
const [, FAILED_CHECKS = ""] = textOf("helm-chart/README.md").split("## What kube-score finds");
const ACCEPTED_FINDINGS = new Set([...FAILED_CHECKS.matchAll(/^- `([a-z-]+)`: /gm)].map(([, check = ""]) => check));
const KNOWN = valueDefaults();
/** `enabled` is for charts that depend on this one. */
const WITHOUT_EFFECT = new Set(["enabled"]);

/** Accepted findings of the static checks in every variant with roles, with their reasons. */
const ACCEPTED: Readonly<Record<string, string>> = {
  "access-to-secrets: get":
    "the tokens of connections and the values that specs refer to; only by name, without list and watch (src/operator/rbac.ts)",
  "access-to-secrets: patch": "the Secret of the installation's key, by its name; the operator fills it once",
};
/** Further accepted findings by variant, with their reasons. */
const ACCEPTED_IN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "some namespaces": {
    "access-to-secrets: create": "rbac.secretOutputs names a namespace in which the operator writes tokens",
    "access-to-secrets: patch": "the same",
  },
  "rights and identity from elsewhere": {
    "non-existent-service-account: Deployment platform-operator: somebody": "serviceAccount.create is false",
    "non-existent-service-account: Pod platform-operator-test: somebody": "the same",
  },
};

const variants = Object.entries(VARIANTS).map(([name, values]) => ({ name, values }));
const helm = await openHelm();
const cluster = inject("controlPlane");
/** The findings of kube-score in all variants. */
const found = new Set<string>();

beforeAll(async () => {
  for (const namespace of [NAMESPACE, "shop", "warehouse"]) await kubectl(cluster, ["create", "namespace", namespace]);
  await kubectl(cluster, ["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"]);
  const prometheus = await goModuleFolder("github.com/prometheus-operator/prometheus-operator", "v0.85.0");
  for (const kind of ["servicemonitors", "prometheusrules"]) {
    const file = `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`;
    await installCrds(cluster, join(prometheus, file));
  }
});

describe.each(variants)("the variant $name", ({ name, values }) => {
  let output = "";
  let rendered: readonly Rendered[] = [];
  beforeAll(async () => {
    output = await template(helm, values);
    rendered = manifestsIn(output);
  });

  it("changes the output with each of its values", async () => {
    for (const path of pathsOf(values, KNOWN)) {
      // The others may require this one.
      const rest = await template(helm, without(values, path)).catch(String);
      // The texts are too long to be shown.
      expect(rest === output, `${path} changes nothing`).toBe(false);
    }
  });

  it("has no finding of kube-score without an accepted reason", async () => {
    const findings = await scored(output);
    for (const { check } of findings) found.add(check);
    expect(findings.filter(({ check }) => !ACCEPTED_FINDINGS.has(check))).toEqual([]);
  });

  it("has no finding of the static checks without an accepted reason", () => {
    const general = rendered.some(({ kind }) => kind === "ClusterRole") ? Object.keys(ACCEPTED) : [];
    expect(new Set(findingsIn(rendered))).toEqual(new Set([...general, ...Object.keys(ACCEPTED_IN[name] ?? {})]));
  });

  it("has objects that an API server accepts, and Pods that Pod Security restricted does", async () => {
    const pods = rendered.filter(({ kind }) => kind === "Deployment").map(podOf);
    const all = [...rendered.filter(({ kind }) => kind !== "CustomResourceDefinition"), ...pods];
    expect((await dryRun(all)).trim().split("\n")).toHaveLength(all.length);
  });
});

describe("the variants", () => {
  it("set all values", () => {
    const set = new Set(variants.flatMap(({ values }) => pathsOf(values, KNOWN)));
    expect([...KNOWN.keys()].filter((path) => !set.has(path) && !WITHOUT_EFFECT.has(path))).toEqual([]);
  });

  it("have every finding of kube-score for which there is a reason", () => {
    expect([...ACCEPTED_FINDINGS].filter((check) => !found.has(check))).toEqual([]);
  });

  it("would be refused with a Pod that is not restricted", async () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "bad", namespace: NAMESPACE } };
    const bad = { ...pod, spec: { containers: [{ name: "bad", image: "bad" }] } };
    await expect(dryRun([bad])).rejects.toThrow(/PodSecurity/);
  });
});

/** Applies the manifests in a dry run. @returns a line for each */
async function dryRun(manifests: readonly object[]): Promise<string> {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
  const args = ["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"];
  return kubectl(cluster, args, { input });
}

/** @returns the Pod of a Deployment */
function podOf({ metadata, spec }: Rendered): object {
  const { template: made } = z.object({ template: z.looseObject({ metadata: z.looseObject({}) }) }).parse(spec);
  const { name, namespace } = metadata;
  return { apiVersion: "v1", kind: "Pod", ...made, metadata: { ...made.metadata, name, namespace } };
}

const Scores = z.array(
  z.object({
    object_name: z.string(),
    checks: z.array(z.object({ check: z.object({ id: z.string() }), grade: z.number(), skipped: z.boolean() })),
  }),
);
/** kube-score's grade of a passed check. */
const PASSED = 10;

async function scored(manifests: string): Promise<readonly { readonly object: string; readonly check: string }[]> {
  const program = await findGoTool("kube-score");
  const args = ["score", "--output-format", "json", "--kubernetes-version", "v1.36", "-"];
  // It exits with 1 when it finds something.
  const { stdout } = await runToEnd(program, args, { input: manifests });
  return Scores.parse(JSON.parse(stdout)).flatMap(({ object_name: object, checks }) =>
    checks.flatMap(({ check, grade, skipped }) => (skipped || grade >= PASSED ? [] : [{ object, check: check.id }])),
  );
}
