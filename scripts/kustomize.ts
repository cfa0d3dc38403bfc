/**
 * What kustomize has to know of the custom resources, derived from their schemas: which fields name another object, so
 * that a prefix or a hash in the name of that object reaches them (`configurations`), and by which member the items of a
 * list are merged (`openapi`).
 */
import { GROUP, VERSION } from "../src/api/names.ts";
import type { Resource } from "../src/api/resource.ts";
import { objectSchema } from "./crd.ts";
import type { Structural } from "./schema.ts";

/**
 * The kinds that a field of this name refers to. Fields that name an object which the operator writes, such as
 * writeTokenSecretToRef, have none: no object of a kustomization has that name.
 */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  connectionRef: ["PlatformConnection", "ClusterPlatformConnection"],
  projectRef: ["PlatformProject"],
  environmentRef: ["PlatformEnvironment"],
  clusterRef: ["PlatformCluster"],
  applicationRef: ["PlatformApplication"],
  tokenSecretRef: ["Secret"],
  secretKeyRef: ["Secret"],
  secretRef: ["Secret"],
  configMapKeyRef: ["ConfigMap"],
  configMapRef: ["ConfigMap"],
};

interface FieldSpec {
  readonly path: string;
  readonly group: string;
  readonly kind: string;
}

/** Returns the configuration of the name references (kustomize: "nameReference"), by the kind that is referred to. */
export function nameReferences(resources: readonly Resource[]) {
  const found = new Map<string, FieldSpec[]>();
  for (const resource of resources) {
    for (const { path, name } of members(objectSchema(resource).spec, "spec")) {
      for (const kind of REFERENCES[name] ?? []) {
        const fields = found.get(kind) ?? [];
        found.set(kind, [...fields, { path: `${path}/name`, group: GROUP, kind: resource.kind }]);
      }
    }
  }
  return {
    nameReference: [...found].map(([kind, fieldSpecs]) => ({
      kind,
      version: kind.includes("Platform") ? VERSION : "v1",
      ...(kind.includes("Platform") && { group: GROUP }),
      fieldSpecs,
    })),
  };
}

/** Returns an OpenAPI document with the lists that are merged by a member (kustomize: "openapi"). */
export function mergeKeys(resources: readonly Resource[]) {
  const definitions = resources.map(({ kind, ...resource }) => {
    const spec = mergedPart(objectSchema({ kind, ...resource }).spec) ?? { type: "object" };
    const identity = [{ group: GROUP, version: VERSION, kind }];
    const schema = { type: "object", properties: { spec }, "x-kubernetes-group-version-kind": identity };
    return [`${GROUP}.${VERSION}.${kind}`, schema] as const;
  });
  return { definitions: Object.fromEntries(definitions) };
}

/** Returns every member at any depth. The items of a list have the path of the list, as kustomize spells it. */
function members(schema: Structural, path: string): readonly { readonly name: string; readonly path: string }[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    { name, path: `${path}/${name}` },
    ...members(member, `${path}/${name}`),
  ]);
  return schema.items === undefined ? own : [...own, ...members(schema.items, path)];
}

/** Returns the part of a schema that leads to lists with a key; undefined where there is none. */
function mergedPart({ type, properties, ...schema }: Structural): object | undefined {
  const [key] = schema["x-kubernetes-list-map-keys"] ?? [];
  if (key !== undefined) {
    return {
      type,
      items: { type: "object" },
      "x-kubernetes-patch-merge-key": key,
      "x-kubernetes-patch-strategy": "merge",
    };
  }
  const parts = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const part = mergedPart(member);
    return part === undefined ? [] : [[name, part] as const];
  });
  return parts.length === 0 ? undefined : { type, properties: Object.fromEntries(parts) };
}
