/** What the API server keeps out: every leaf of every CRD has a bound, every id a pattern. */
import { describe, expect, it } from "vitest";

import type { Structural } from "../../scripts/schema.ts";
import { readSchemas } from "../hostile/generated/schema.ts";
import { HOSTILE_IDS } from "../support/hostile/ids.ts";
import { figure } from "../support/platform/figure.ts";

interface Place {
  readonly path: string;
  readonly schema: Structural;
}

const kinds = readSchemas();
const leaves = kinds.flatMap(({ kind, spec, status }) => [
  ...walk(spec, `${kind}.spec`),
  ...walk(status, `${kind}.status`),
]);

function walk(schema: Structural, path: string): readonly Place[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => walk(member, `${path}.${name}`));
  const items = schema.items === undefined ? [] : walk(schema.items, `${path}[]`);
  const values = schema.additionalProperties === undefined ? [] : walk(schema.additionalProperties, `${path}{}`);
  return [{ path, schema }, ...members, ...items, ...values];
}

/** What can be as large as an object of Kubernetes; the operator bounds it, as its tests say, or wrote it itself. */
const OPEN = [
  /^PlatformApplication\.spec\.healthchecks$/,
  /^PlatformBinding\.spec\.layerSelections$/,
  /^PlatformBlueprint\.spec\.variableObjects\[\]$/,
  /^PlatformBlueprint\.spec\.specOverrides$/,
  /^PlatformBinding\.spec\.managedConfig\{\}\{\}\.value$/,
  /^\w+\.status\.writeLedger\.intent\.mark$/,
];

const MULTILINE = [
  "PlatformApplication.spec.gitRepository.branch",
  "PlatformApplication.spec.gitRepository.rootPath",
  "PlatformApplication.spec.dockerfilePath",
  "PlatformApplication.spec.entrypoint",
  "PlatformApplication.spec.arguments[]",
  "PlatformApplication.spec.variables[].value",
  "PlatformBinding.spec.template.key",
  "PlatformBinding.spec.template.version",
  "PlatformBinding.spec.customerProvidedInputs{}{}.value",
  "PlatformBlueprint.spec.variables[].value",
  "PlatformBlueprint.spec.allowedEngineVersions[]",
  "PlatformCatalog.spec.configMap.metadata.annotations{}",
  "PlatformCluster.spec.writeTokenSecretToRef.metadata.annotations{}",
  "PlatformDatabase.spec.writeConnectionSecretToRef.metadata.annotations{}",
  "PlatformProject.spec.description",
  "PlatformVariableSet.spec.variables[].value",
  "PlatformWebhook.spec.description",
];

const isOpen = ({ path, schema }: Place): boolean =>
  schema["x-kubernetes-preserve-unknown-fields"] === true && OPEN.some((one) => one.test(path));

function unbounded({ schema }: Place): boolean {
  switch (schema.type) {
    case "string":
    // Where the API server takes a number as well, a rule refuses it.
    case undefined:
      return schema.maxLength === undefined && schema.enum === undefined;
    case "array":
      return schema.maxItems === undefined;
    case "integer":
      return schema.minimum === undefined;
    case "number":
    case "boolean":
      return false;
    case "object":
      return schema.properties === undefined && schema.maxProperties === undefined;
    default:
      return true;
  }
}

describe("[E5] the CRDs", () => {
  it("bound every text, list and map, of spec and status", ({ task }) => {
    expect(leaves.filter((leaf) => unbounded(leaf) && !isOpen(leaf)).map(({ path }) => path)).toEqual([]);
    figure(task, `${leaves.length} schemas in ${kinds.length} CRDs, 0 unbounded`, leaves.length);
  });

  it("refuse line breaks in every text of a spec, but in those of this list", () => {
    const takes = ({ pattern = "" }: Structural) =>
      ["ab\nc1234", "abcdef1\n"].some((text) => new RegExp(pattern).test(text));
    const texts = leaves.filter(({ path, schema }) => /^\w+\.spec\./.test(path) && schema.maxLength !== undefined);
    expect(texts.filter(({ schema }) => takes(schema)).map(({ path }) => path)).toEqual(MULTILINE);
  });

  it("preserve unknown fields only in those of this list", () => {
    const open = leaves.filter(({ schema }) => schema["x-kubernetes-preserve-unknown-fields"] === true);
    expect(open.filter((leaf) => !isOpen(leaf)).map(({ path }) => path)).toEqual([]);
    expect(OPEN.filter((one) => !open.some(({ path }) => one.test(path)))).toEqual([]);
  });
});

describe("[E1] an id or name in a CRD", () => {
  /** What may become a part of a path: of the platform's API or of the API server's. */
  const isKey = ({ path, schema }: Place): boolean =>
    schema.type === "string" &&
    /\.spec\./.test(path) &&
    /(?:\b\w*(?:I|i)d|\w*(?:Ref|To)\.name|\.outputConfigMap|allowedProjects\[\]|Namespaces\.names\[\])$/.test(path);
  const keys = leaves.filter(isKey);

  it.for(keys)("at $path accepts no hostile id", ({ schema }, { task }) => {
    const pattern = new RegExp(schema.pattern ?? "");
    const taken = HOSTILE_IDS.filter((id) => id.length <= (schema.maxLength ?? Infinity) && pattern.test(id));
    expect(schema.pattern).toMatch(/^\^.*\$$/);
    expect(taken).toEqual([]);
    figure(task, `${HOSTILE_IDS.length} hostile values refused by each field`, HOSTILE_IDS.length);
  });
});
