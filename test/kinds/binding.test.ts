/** PlatformBinding against the simulated platform, without a cluster. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { createBinding } from "../../src/kinds/binding/index.ts";
import { kindRunner, type Runner } from "../support/kinds/kind-runner.ts";
import { startHarness, type World } from "../support/platform/env.ts";

const kind = createBinding();
const template = { key: "kubernetes-essentials", version: "1.2.0" };
const ingress = {
  domain: { value: "shop.example.com" },
  dnsApiToken: { valueFrom: { secretKeyRef: { name: "dns", key: "token" } } },
};
const values = { "spec.managedConfig[ingress][dnsApiToken]": "s3cret-value" };

describe.each<["Documented" | "Full", "documented" | "full"]>([
  ["Documented", "documented"],
  ["Full", "full"],
])("on the %s surface", (surface, simulated) => {
  let harness: World;
  beforeAll(async () => {
    harness = await startHarness(simulated, "");
  });
  afterAll(() => harness.close());

  const runnerFor = (cluster: string | undefined, change: JsonObject = {}): Runner =>
    kindRunner(
      kind,
      harness.admin,
      { surface, ids: { "spec.clusterRef": cluster ?? "" }, values },
      { clusterRef: { externalId: cluster ?? "" }, template, managedConfig: { ingress }, ...change },
    );

  const onGcp = { cluster: { mode: "CUSTOMER_MANAGED", provider: "GCP" } };
  const onAws = { cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" } };

  it("enables every layer that the cluster can have", async () => {
    const runner = runnerFor(harness.clusterIds[1], onGcp);
    const bound = await runner.run();
    const { report } = surface === "Full" ? await runner.run() : bound;
    expect(report).toMatchObject({ ready: { reason: "Bound" }, status: { layersEnabled: "2/2" } });
  });

  const small = { managedConfig: { ingress, nodePool: { instanceType: { value: "small" } } } };
  const SIZES = "spec.managedConfig[nodePool][instanceType] must be one of t3.medium, m6i.large";
  const NO_GPU = "spec.layerSelections[gpu] must not be true: the layer is not available for CUSTOMER_MANAGED clusters";

  it.each([
    ["a draft", { template: { ...template, version: "2.0.0" } }, "TemplateNotAvailable", "1.1.0, 1.2.0"],
    ["a layer that this cluster cannot have", { layerSelections: { gpu: true }, ...onGcp }, "InvalidSpec", NO_GPU],
    ["what the narrowed constraints exclude", { ...small, ...onAws }, "InvalidSpec", SIZES],
  ])("sends nothing for %s", async (_name, change, reason, words) => {
    const before = harness.calls().filter(({ method }) => method === "PUT").length;
    const why = { reason, message: expect.stringContaining(words) };
    expect(await runnerFor(harness.clusterIds[0], change).run()).toMatchObject({ ops: [], is: "stalled", why });
    expect(harness.calls().filter(({ method }) => method === "PUT")).toHaveLength(before);
  });
});
