/** The policy of deploy/install.yaml for the values of annotations, bound to a namespace of this file alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";

import {
  APPROVED_PLAN,
  EXTERNAL_ID,
  FINALIZER,
  MOVE_TO,
  PAUSED,
  POLL_INTERVAL,
  RESOLVE,
  RUN_UNTIL,
} from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { applyAll, kubectl } from "../control-plane/access.ts";
import { clientAt, cluster, createNamespace, type Manifest } from "../support/env/cluster.ts";
import { manifestsIn } from "../support/env/manifests.ts";
import { project } from "../support/kube/manifests.ts";
import { refusal } from "./refusal.ts";

const facts = inject("controlPlane");
const namespace = "admission-policy-test";

const client = clientAt(facts.kubeconfigPath, "admission-policy-test");
const here = cluster(() => client, namespace);

const noted = (name: string, annotations: Readonly<Record<string, string>>, finalizers: string[] = []): Manifest => ({
  ...project(name),
  metadata: { name, annotations, finalizers },
});
const annotate = async (key: string, value: string): Promise<string> =>
  refusal(here.annotate("PlatformProject", "noted", { [key]: value }));

beforeAll(async () => {
  await createNamespace(client, namespace);
  const annotations = { [RESOLVE]: "kept" };
  await here.apply(noted("noted", annotations), noted("leaving", annotations, [FINALIZER]));
  const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
  const bound = { policyName: namespace, matchResources };
  const items = manifestsIn(readFileSync(join(import.meta.dirname, "../../deploy/install.yaml"), "utf8"))
    .filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"))
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

afterAll(async () => {
  await kubectl(facts, ["delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", namespace]);
  await here.remove("PlatformProject", "noted");
  await client.close();
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
  expect(await annotate(key, value)).toContain(says);
  expect(await refusal(here.apply(noted("wrong", { [key]: value })))).toContain(says);
});

it.each(["True", "1", "yes", "no", "false"])(
  "the admission policy takes paused=%s, beside an older annotation that is wrong",
  async (value) => {
    expect(await annotate(PAUSED, value)).toBe("");
  },
);

it("the admission policy takes any value of an object that is being deleted, and so delays no deletion", async () => {
  await here.remove("PlatformProject", "leaving");
  const metadata = { annotations: { [RESOLVE]: "other" }, finalizers: null };
  await here.patch("PlatformProject", "leaving", { metadata });
  expect(await here.find("PlatformProject", "leaving")).toBeUndefined();
});
