import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, control, type Answer } from "../../test/support/env/simulated-platform.ts";
import { startSimulator, type Simulator } from "../simulator.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ surface: "documented", speed: "instant", seed: "bindings" });
});
afterAll(() => simulator.close());

const listTemplates = (query = "", organization = simulator.organizationId, authorization?: string): Promise<Answer> =>
  call(simulator, `GET /organization/${organization}/platformTemplate${query}`, undefined, authorization);

describe("the catalog of templates", () => {
  it("lists published templates of all organizations and of the caller's", async () => {
    const names = async (...of: string[]): Promise<string[]> => {
      const { results }: { results: Record<string, string>[] } = (await listTemplates("", ...of)).body;
      return results.map((one) => `${one["key"]} ${one["version"]} ${one["status"]}`);
    };
    const everybodys = ["kubernetes-essentials 1.1.0 PUBLISHED", "kubernetes-essentials 1.2.0 PUBLISHED"];
    expect(await names()).toEqual(everybodys);
    const theirs = await names(simulator.otherOrganizationId, `Token ${simulator.tokens.foreign}`);
    expect(theirs).toEqual([...everybodys, "partner-platform 1.0.0 PUBLISHED"]);
  });

  it("keeps int64 values exact", async () => {
    expect((await listTemplates()).text).toContain(`"max":9223372036854775807`);
  });

  const wrong = ["?clusterMode=PLATFORM_MANAGED", "?cloudProvider=AWS", "?clusterMode=MINE&cloudProvider=AWS"];
  it.each(wrong)("answers 400 to the incomplete or invalid query %s", async (query) => {
    expect((await listTemplates(query)).status).toBe(400);
  });

  it.each([
    ["failed", 500],
    ["unavailable", 503],
  ])("that is %s answers %d, and so does a binding", async (catalog, status) => {
    await control(simulator, "PATCH /settings", { catalog });
    expect((await listTemplates()).status).toBe(status);
    expect((await bind({})).status).toBe(status);
    await control(simulator, "PATCH /settings", { catalog: "ok" });
    expect((await listTemplates()).status).toBe(200);
  });
});

const good = { ingress: { domain: "apps.example.com" } };

function bind(change: Readonly<Record<string, unknown>>, cluster = 0): Promise<Answer> {
  const id = simulator.clusterIds[cluster];
  return call(simulator, `PUT /organization/${simulator.organizationId}/cluster/${id}/platformBinding`, {
    templateKey: "kubernetes-essentials",
    templateVersion: "1.2.0",
    managedConfig: good,
    ...change,
  });
}

function layersOf({ body }: Answer): readonly Readonly<Record<"key" | "status" | "reason", string>>[] {
  const { layers }: { layers: Record<"key" | "status" | "reason", string>[] } = body;
  return layers;
}

describe("a binding", () => {
  it.each([
    ["a draft", { templateVersion: "2.0.0" }, 404],
    ["a deprecated version", { templateVersion: "1.0.0" }, 400],
    ["an unknown version", { templateVersion: "9.9.9" }, 404],
    ["a template of another organization", { templateKey: "partner-platform", templateVersion: "1.0.0" }, 404],
    ["no template", { templateKey: undefined }, 400],
    ["an unknown layer", { layerSelections: { moon: true } }, 400],
    ["a mandatory layer deselected", { layerSelections: { networking: false } }, 400],
    ["an unknown component", { managedConfig: { ...good, moon: {} } }, 400],
    ["an unknown field", { managedConfig: { ingress: { ...good.ingress, moon: 1 } } }, 400],
    ["a required field missing", { managedConfig: {} }, 400],
    ["a number below the minimum", { managedConfig: { ingress: { ...good.ingress, replicas: 0 } } }, 400],
    ["a number above the maximum", { managedConfig: { ingress: { ...good.ingress, replicas: 21 } } }, 400],
    ["a text for a number", { managedConfig: { ingress: { ...good.ingress, replicas: "many" } } }, 400],
    ["a number for a bool", { managedConfig: { ingress: { ...good.ingress, accessLogs: 1 } } }, 400],
    ["a number for a text", { managedConfig: { ingress: { domain: 1 } } }, 400],
    ["a text that is too short", { managedConfig: { ingress: { domain: "a.b" } } }, 400],
    ["a text that does not match the pattern", { managedConfig: { ingress: { domain: "Not A Domain" } } }, 400],
    ["a value outside the list", { managedConfig: { ...good, nodePool: { instanceType: "huge" } } }, 400],
    ["a value of another provider", { managedConfig: { ...good, nodePool: { instanceType: "e2-standard-4" } } }, 400],
    ["an invalid runtime input", { customerProvidedInputs: { ingress: { replicas: "0" } } }, 400],
    ["a runtime input that is not a text", { customerProvidedInputs: { ingress: { replicas: 3 } } }, 400],
  ])("is rejected with %s", async (_what, change, status) => {
    expect((await bind(change)).status).toBe(status);
  });

  it("accepts a required field as a runtime input", async () => {
    const inputs = { ingress: { domain: "apps.example.com" } };
    expect((await bind({ managedConfig: {}, customerProvidedInputs: inputs })).status).toBe(200);
  });

  it("is answered with the status and reason of each layer", async () => {
    const layerSelections = { observability: false, gpu: true };
    const layers = async (cluster: number): Promise<unknown> =>
      layersOf(await bind({ layerSelections }, cluster)).map((of) => `${of.key} ${of.status}: ${of.reason}`);
    expect(await layers(0)).toEqual([
      "networking ENABLED: The layer is mandatory",
      "nodes ENABLED: The layer is mandatory",
      "observability DISABLED: Deselected",
      "gpu ENABLED: Selected",
    ]);
    expect(await layers(1)).toEqual([
      "networking ENABLED: The layer is mandatory",
      "nodes SKIPPED: Not available for CUSTOMER_MANAGED clusters",
      "observability DISABLED: Deselected",
      "gpu SKIPPED: Not available for CUSTOMER_MANAGED clusters",
    ]);
  });

  it("enables its layers after their duration", async () => {
    await control(simulator, "PATCH /settings", { surface: "full", speed: 1, durations: { layers: 10 } });
    expect(layersOf(await bind({}))[0]?.status).toBe("DISABLED");
    await control(simulator, "POST /time/advance", { seconds: 10 });
    const [id] = simulator.clusterIds;
    const request = `GET /organization/${simulator.organizationId}/cluster/${id}/platformBinding`;
    expect(layersOf(await call(simulator, request))[0]?.status).toBe("ENABLED");
    await control(simulator, "PATCH /settings", { surface: "documented", speed: "instant" });
  });
});
