import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";

import { customResourceDefinition } from "../../scripts/crd.ts";
import { generatedFiles } from "../../scripts/generate.ts";
import { ruleOf } from "../../scripts/rbac.ts";
import { structural } from "../../scripts/schema.ts";
import { OPERATOR, OPERATOR_VERSION } from "../../src/config/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import { GRANTS } from "../../src/operator/rbac.ts";
import { SAMPLES } from "../samples/index.ts";
import { textOf } from "./repository.ts";

const Chart = z.object({ version: z.string(), appVersion: z.string(), annotations: z.record(z.string(), z.string()) });
const Role = z.object({ kind: z.string(), metadata: z.object({ name: z.string() }), rules: z.array(z.unknown()) });

/** `npm run generated` checks that they are up to date. */
const files = await generatedFiles();

const yaml = [...files].filter(([path]) => path.endsWith(".yaml"));
it.each(yaml)("the generated file %s is well-formed YAML", (_path, content) => {
  expect(parseAllDocuments(content).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
});

it("the chart, its image and the operator have one version", () => {
  const { annotations, ...chart } = Chart.parse(parse(textOf("helm-chart/Chart.yaml")));
  expect(chart).toEqual({ version: OPERATOR_VERSION, appVersion: OPERATOR_VERSION });
  expect(annotations["artifacthub.io/images"]).toContain(`/platform-operator:${OPERATOR_VERSION}\n`);
});

it("deploy/install.yaml lets only the operator's user and group read its token", () => {
  const text = textOf("deploy/install.yaml");
  // Whoever reads YAML 1.2 takes 0440 for the decimal number.
  expect([...text.matchAll(/defaultMode: (.*)/g)].map(([, mode]) => Number(mode))).toEqual([0o440]);
});

describe("a generated CRD", () => {
  it.each([...files].filter(([path]) => path.startsWith("crds/")))("is smaller than 200 kB: %s", (_path, content) => {
    expect(Buffer.byteLength(content)).toBeLessThan(200_000);
  });

  // zod's extend() and refine() lose or hide rules without a word: a changed number here is looked at.
  it("has as many CEL rules as the sample of its kind says", () => {
    const counts = RESOURCES.map((resource) => [resource.kind, rulesIn(customResourceDefinition(resource))]);
    const written = Object.entries(SAMPLES).map(([kind, { rules }]) => [kind, rules]);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(written));
  });

  it.each(RESOURCES)("of $kind has one default: an observedGeneration of -1", (resource) => {
    expect(membersOf(customResourceDefinition(resource), "default")).toEqual([{ observedGeneration: -1 }]);
  });
});

describe("the conversion of a zod schema to a CRD", () => {
  const LOOKAHEAD = /^(?=a)/;
  const described = (schema: z.ZodType) => z.object({ a: schema.describe("A field.") });
  const refused: readonly (readonly [string, z.ZodType, RegExp])[] = [
    ["a flag", described(z.string().max(9).regex(/^a$/i)), /flags/],
    ["a lookahead", described(z.string().regex(LOOKAHEAD).max(9)), /RE2 cannot read/],
    ["a union", described(z.union([z.string().max(9), z.boolean()])), /no "anyOf"/],
    ["two patterns", described(z.string().max(9).regex(/a/).regex(/b/)), /no "allOf"/],
    ["a text without end", described(z.string()), /has no maxLength/],
    ["a number without bound", described(z.int()), /has no minimum/],
    ["a list without end", described(z.array(z.boolean().describe("One."))), /has no maxItems/],
    ["a list of no type", described(z.array(z.boolean().describe("One.")).max(9)), /has no x-kubernetes-list-type/],
    ["a map without end", described(z.record(z.string(), z.boolean().describe("One."))), /has no maxProperties/],
    ["a field without description", z.object({ a: z.boolean() }), /x\.a: has no description/],
    ["an unknown attribute", described(z.boolean().meta({ examples: [true] })), /no "examples"/],
  ];

  it.each(refused)("refuses %s", (_title, schema, message) => {
    expect(() => structural(schema, "x")).toThrow(message);
  });
});

describe("the operator's rights", () => {
  it("are declared once for each resource and scope", () => {
    const keys = GRANTS.flatMap(({ group, resources, names, where }) =>
      resources.map((resource) => [group, resource, where, names].join("/")),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each(["ClusterRole", "Role"])("equal those of the %s in deploy/install.yaml", (kind) => {
    const installed = parseAllDocuments(textOf("deploy/install.yaml")).map((document) =>
      Role.safeParse(document.toJS()),
    );
    const role = installed.find(({ data }) => data?.kind === kind && data.metadata.name === OPERATOR)?.data;
    const declared = GRANTS.filter(({ where }) => (where === "operator's namespace") === (kind === "Role")).map(ruleOf);
    expect(role?.rules).toHaveLength(declared.length);
    expect(role?.rules).toEqual(expect.arrayContaining(declared));
  });

  it("contain no wildcard, no list of Secrets and no way to more rights", () => {
    const words = GRANTS.flatMap(({ group, resources, verbs }) => [group, ...resources, ...verbs]);
    expect(words).not.toContain("*");
    expect(words.filter((word) => ["escalate", "bind", "impersonate", "deletecollection"].includes(word))).toEqual([]);
    expect(GRANTS.filter(({ verbs }) => verbs.includes("delete"))).toEqual([]);
    const secrets = GRANTS.filter(({ resources }) => resources.includes("secrets"));
    expect(secrets.map(({ verbs, names }) => ({ verbs, names }))).toEqual([
      { verbs: ["get"], names: undefined },
      { verbs: ["get", "patch"], names: ["platform-operator-key"] },
    ]);
  });
});

function membersOf(value: unknown, member: string): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => (key === member ? [child] : membersOf(child, member)));
}

function rulesIn(document: object): number {
  return membersOf(document, "x-kubernetes-validations").flat().length;
}
