import { describe, expect, it } from "vitest";

import type { Binding, Template } from "../../../platform/areas/templates.ts";
import { filesOf } from "./index.ts";

const ID = "00000001-0000-4000-8000-000000000001";
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

function exported(binding: Binding | undefined, present: Parameters<typeof filesOf>[1]["present"] = []) {
  const record = { id: ID, name: "Production EU" };
  const clusters = [{ record, status: undefined, binding, templates: [template] }];
  const home = { namespace: "infra", connectionRef: undefined, observeOnly: false, present };
  return filesOf({ surface: "Full", projects: [], clusters, gaps: [] }, home)[0]?.documents ?? [];
}

describe("a cluster of an export", () => {
  it("is taken over as it is", () => {
    const metadata = { name: "production-eu", namespace: "infra" };
    const manifest = expect.objectContaining({ metadata, spec: { externalId: ID } });
    expect(exported(undefined)).toEqual([{ comments: ['Cluster "Production EU".'], manifest }]);
  });

  it("keeps what is bound to it", () => {
    const [, binding] = exported(bound());
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
    ["a field that nobody describes", { managedConfig: { other: { field: SECRET } } }, "managedConfig.other.field."],
    ["an input", { customerProvidedInputs: { ingress: { key: SECRET } } }, "customerProvidedInputs.ingress.key."],
    ["a template of the past", { templateVersion: "1.0.0" }, 'template "essentials" version "1.0.0" is no longer'],
  ])("with %s is written as a comment, without values that may be secret", (_what, more, words) => {
    const document = exported(bound(more))[1];
    expect(document).toMatchObject({ disabled: true });
    expect(document?.comments.join(" ")).toContain(words);
    expect(JSON.stringify(document)).not.toContain(SECRET);
  });

  it("is not written where a resource holds it and its binding", () => {
    const present = [
      { kind: "PlatformCluster", name: "eu", id: ID },
      { kind: "PlatformBinding", name: "eu", id: `binding/${ID}` },
    ];
    expect(exported(bound(), present).map(({ manifest }) => manifest)).toEqual([undefined, undefined]);
  });
});
