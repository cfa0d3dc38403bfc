/** The kinds PlatformBinding and PlatformCatalog against the simulated platform, without a cluster. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { changeSettings } from "../../simulator/base/settings.ts";
import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { createBinding } from "../../src/kinds/binding/index.ts";
import type { BindingContext } from "../../src/kinds/binding/model.ts";
import { platformCatalog } from "../../src/kinds/catalog/crd.ts";
import { catalog, type CatalogTypes } from "../../src/kinds/catalog/index.ts";
import { bindingContext, bindingSpec, contextOf } from "../support/kinds/bindings.ts";
import { kindRunner, type Runner } from "../support/kinds/kind-runner.ts";
import { supportsOn } from "../support/kinds/supports.ts";
import { hurriedClock } from "../support/platform/client.ts";
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

  const passFor = (cluster: 0 | 1, change: object = {}): BindingContext =>
    bindingContext(
      bindingSpec({
        clusterRef: { externalId: harness.clusterIds[cluster] },
        template,
        managedConfig: { ingress },
        ...change,
      }),
      { surface },
      values,
    );

  const runnerFor = (cluster: string | undefined, change: JsonObject = {}): Runner =>
    kindRunner(
      kind,
      harness.admin,
      { surface, ids: { "spec.clusterRef": cluster ?? "" }, values, sources: "s@1", token: "token-1" },
      { clusterRef: { externalId: cluster ?? "" }, template, managedConfig: { ingress }, ...change },
    );

  it("binds once, and is content", async () => {
    const runner = runnerFor(harness.clusterIds[0], {
      managedConfig: { ingress, metrics: { retentionDays: { value: "30" } } },
    });
    expect((await runner.run()).ops).toHaveLength(1);
    const { ops, is, report, status } = await runner.run();
    expect([ops, is]).toEqual([[], "settled"]);
    expect(report.conditions).toContainEqual(expect.objectContaining({ type: "ConfigValid", status: "True" }));
    expect(report.drift).toEqual(surface === "Full" ? [] : undefined);
    expect(JSON.stringify(status)).not.toContain("s3cret-value");
  });

  it("enables every layer that the cluster can have", async () => {
    const runner = runnerFor(harness.clusterIds[1], { cluster: { mode: "CUSTOMER_MANAGED", provider: "GCP" } });
    const bound = await runner.run();
    const { report } = surface === "Full" ? await runner.run() : bound;
    expect(report).toMatchObject({ ready: { reason: "Bound" }, status: { layersEnabled: "2/2" } });
  });

  it.each([
    [
      "another template",
      { template: { key: "nothing", version: "1" } },
      "TemplateNotAvailable",
      "kubernetes-essentials",
    ],
    ["a draft", { template: { ...template, version: "2.0.0" } }, "TemplateNotAvailable", "1.1.0, 1.2.0"],
    [
      "a layer that this cluster cannot have",
      { layerSelections: { gpu: true }, cluster: { mode: "CUSTOMER_MANAGED", provider: "GCP" } },
      "InvalidSpec",
      "spec.layerSelections[gpu] must not be true: the layer is not available for CUSTOMER_MANAGED clusters",
    ],
    [
      "what the narrowed constraints exclude",
      {
        managedConfig: { ingress, nodePool: { instanceType: { value: "small" } } },
        cluster: { mode: "PLATFORM_MANAGED", provider: "AWS" },
      },
      "InvalidSpec",
      "spec.managedConfig[nodePool][instanceType] must be one of t3.medium, m6i.large",
    ],
    ["a missing value", { managedConfig: {} }, "InvalidSpec", "spec.managedConfig[ingress][domain] is required"],
  ])("sends nothing for %s", async (_name, change, reason, words) => {
    const before = harness.calls().filter(({ method }) => method === "PUT").length;
    expect(await runnerFor(harness.clusterIds[0], change).run()).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason, message: expect.stringContaining(words) },
    });
    expect(harness.calls().filter(({ method }) => method === "PUT")).toHaveLength(before);
  });

  it("reads the whole catalogue", async () => {
    const pass = contextOf<CatalogTypes>(
      platformCatalog.spec.parse({ include: ["Templates", "CloudProviders", "DatabaseTypes", "GitRepositories"] }),
      {},
      {},
      { surface },
    );
    const { status, output } = catalog.report(pass, await catalog.observe(pass, harness.admin));
    expect(status["counts"]).toMatchObject({ templates: 2, gitRepositories: 2 });
    expect(output?.data["templates.json"]).toContain('"key":"kubernetes-essentials"');
    const bearer = harness.connect({ scheme: "Bearer" });
    const { ready } = catalog.report(pass, await catalog.observe(pass, bearer));
    expect(ready.message).toContain("GitRepositories cannot be read: This operation takes an API token");
  });

  // A platform that shows bindings fails to show them then as well.
  it.runIf(surface === "Documented")("keeps to the last good list while the catalogue cannot be loaded", async () => {
    const pass = passFor(0);
    const clock = hurriedClock();
    const client = harness.connect({ clock });
    await kind.observe({ ...pass, supports: supportsOn("Documented") }, client);
    clock.skip(120_000);
    changeSettings(harness.simulator.sim.settings, { catalog: "unavailable" });
    const unavailable = { failure: { is: "Server" }, status: 503 };
    await expect(kind.observe(pass, harness.connect())).rejects.toMatchObject(unavailable);
    expect(await kind.observe({ ...pass, supports: supportsOn("Documented") }, client)).toMatchObject({
      template,
      problems: [],
    });
    const catalogPass = contextOf<CatalogTypes>(platformCatalog.spec.parse({}), {}, {}, { surface, requested: "now" });
    await expect(catalog.observe(catalogPass, client)).rejects.toMatchObject(unavailable);
    changeSettings(harness.simulator.sim.settings, { catalog: "ok" });
    expect(await kind.observe(pass, client)).toMatchObject({ template, problems: [] });
  });

  it.runIf(surface === "Full")("corrects what somebody else changed", async () => {
    const [clusterId] = harness.clusterIds;
    const runner = runnerFor(clusterId);
    await runner.run();
    await harness.admin.templates.bind(clusterId, {
      ...template,
      templateKey: template.key,
      templateVersion: "1.1.0",
      managedConfig: { ingress: { domain: "other.example.com" } },
    });
    const { drift } = kind.report(passFor(0), await kind.observe(passFor(0), harness.admin));
    expect(drift).toEqual([
      { path: "spec.template.version", desired: "1.2.0", observed: "1.1.0" },
      { path: "spec.managedConfig[ingress][domain]", desired: "shop.example.com", observed: "other.example.com" },
    ]);
    expect((await runner.run()).ops).toHaveLength(1);
    expect((await runner.run()).report.drift).toEqual([]);
  });

  it.runIf(surface === "Full")("does not find another organization's cluster", async () => {
    const theirs = [...harness.simulator.world().clusters.values()].find(
      ({ organizationId }) => organizationId === harness.simulator.otherOrganizationId,
    );
    expect(await runnerFor(theirs?.id).run()).toMatchObject({
      ops: [],
      is: "waiting",
      why: { reason: "DependencyNotReady" },
    });
  });
});
