/** Values of Secrets and ConfigMaps: those of the manifests before those of the cluster. */
import { isObject, member } from "../../../kube/api/json.ts";
import type { Json, KeyValues, Reader } from "../../../kube/api/types.ts";
import type { Manifest } from "./manifests.ts";

/** @param home the namespace of manifests that name none. */
export function overlaidReader(reader: Reader, manifests: readonly Manifest[], home: string): Reader {
  const found = (kind: "Secret" | "ConfigMap", namespace: string, name: string): Manifest | undefined =>
    manifests.findLast(
      (one) =>
        one.apiVersion === "v1" && one.kind === kind && one.name === name && (one.namespace ?? home) === namespace,
    );
  const overlaid = async (
    kind: "Secret" | "ConfigMap",
    namespace: string,
    name: string,
    read: () => Promise<KeyValues | undefined>,
  ): Promise<KeyValues | undefined> => {
    const manifest = found(kind, namespace, name);
    return manifest === undefined ? read() : { uid: "new", resourceVersion: "new", data: dataOf(manifest) };
  };
  return {
    secret: (namespace, name, maxAgeMs) =>
      overlaid("Secret", namespace, name, () => reader.secret(namespace, name, maxAgeMs)),
    configMap: (namespace, name, maxAgeMs) =>
      overlaid("ConfigMap", namespace, name, () => reader.configMap(namespace, name, maxAgeMs)),
    forget: (namespace, name) => {
      reader.forget(namespace, name);
    },
  };
}

/** As the API server makes it: `stringData` goes before `data`, which is base64 in a Secret. */
function dataOf({ kind, body }: Manifest): ReadonlyMap<string, string> {
  const decode = (text: string): string => (kind === "Secret" ? Buffer.from(text, "base64").toString() : text);
  return new Map([
    ...textsOf(member(body, "data")).map(([key, value]) => [key, decode(value)] as const),
    ...(kind === "Secret" ? textsOf(member(body, "stringData")) : []),
  ]);
}

function textsOf(value: Json | undefined): readonly (readonly [string, string])[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, text]) => (typeof text === "string" ? [[key, text] as const] : []));
}
