/** The policy of deploy/install.yaml for the values of annotations, bound to a namespace of this file alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import {
  API_VERSION,
  APPROVED_PLAN,
  EXTERNAL_ID,
  FINALIZER,
  MOVE_TO,
  PAUSED,
  POLL_INTERVAL,
  RESOLVE,
  RUN_UNTIL,
} from "../../src/api/names.ts";
import { kubectl } from "../control-plane/access.ts";

const cluster = inject("controlPlane");
const namespace = "admission-policy-test";
const Document = z.looseObject({ kind: z.string(), spec: z.looseObject({}).optional() });

const apply = async (...items: readonly object[]): Promise<string> =>
  kubectl(cluster, ["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });

const project = (name: string, metadata: object = {}) => ({
  apiVersion: API_VERSION,
  kind: "PlatformProject",
  metadata: { name, namespace, ...metadata },
  spec: { name },
});

const annotate = async (key: string, value: string, ...flags: readonly string[]): Promise<string> =>
  kubectl(cluster, ["annotate", "--overwrite", "pproj", "noted", "-n", namespace, `${key}=${value}`, ...flags]);

beforeAll(async () => {
  await kubectl(cluster, ["create", "namespace", namespace]);
  const annotations = { [RESOLVE]: "kept" };
  await apply(project("noted", { annotations }), project("leaving", { annotations, finalizers: [FINALIZER] }));
  const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
  const here = { policyName: namespace, matchResources };
  const documents = parseAllDocuments(readFileSync(join(import.meta.dirname, "../../deploy/install.yaml"), "utf8"))
    .map((document) => Document.parse(document.toJS()))
    .filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"));
  await apply(
    ...documents.map(({ kind, spec, ...rest }) => ({
      ...rest,
      kind,
      metadata: { name: namespace },
      spec: { ...spec, ...(kind.endsWith("Binding") && here) },
    })),
  );
  const isInForce = async (): Promise<boolean> =>
    annotate(PAUSED, "on", "--dry-run=server").then(
      () => false,
      () => true,
    );
  await vi.waitUntil(isInForce, 15_000);
});

afterAll(async () => {
  await kubectl(cluster, ["delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", namespace]);
  await kubectl(cluster, ["delete", "pproj", "-n", namespace, "--all"]);
});

it.each([
  [POLL_INTERVAL, "10", 'must be a duration such as "90s" or "1h30m"'],
  [RUN_UNTIL, "tomorrow", 'must be a time such as "2026-11-24T22:30:00Z" or "2026-11-24T23:30:00+01:00"'],
  [RESOLVE, "Adopt", 'must be "adopt", "proceed" or "recreate"'],
  [APPROVED_PLAN, "yes", "must be the hash in status.plan, 16 hex digits"],
  [MOVE_TO, "team_web", "must be the name of a namespace"],
  [EXTERNAL_ID, "shop", "must be a UUID"],
])("the admission policy refuses %s=%s", async (key, value, must) => {
  const says = `metadata.annotations[${key}]: Invalid value: "${value}": ${must}`;
  await expect(annotate(key, value)).rejects.toThrow(says);
  await expect(apply(project("wrong", { annotations: { [key]: value } }))).rejects.toThrow(says);
});

it("the admission policy takes what counts, and what was there before", async () => {
  for (const value of ["True", "1", "yes", "no", "false"])
    expect(await annotate(PAUSED, value), value).toContain("annotated");
});

it("the admission policy takes any value of an object that is being deleted, and so delays no deletion", async () => {
  const at = ["pproj", "leaving", "-n", namespace];
  await kubectl(cluster, ["delete", ...at, "--wait=false"]);
  const metadata = { annotations: { [RESOLVE]: "other" }, finalizers: null };
  await kubectl(cluster, ["patch", ...at, "--type=merge", "-p", JSON.stringify({ metadata })]);
  await expect(kubectl(cluster, ["get", ...at])).rejects.toThrow(/NotFound/);
});
