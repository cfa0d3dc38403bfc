import { KubeError } from "./errors.ts";
import type { ObjectKey, ResourceType } from "./types.ts";

/** The built-in resource types that the operator and its command line use. */
export const SECRET: ResourceType = core("Secret", "secrets");
export const CONFIG_MAP: ResourceType = core("ConfigMap", "configmaps");
export const NAMESPACE: ResourceType = { ...core("Namespace", "namespaces"), namespaced: false };
export const LEASE: ResourceType = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
export const DEPLOYMENT: ResourceType = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};
export const EVENT: ResourceType = {
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

function core(kind: string, plural: string): ResourceType {
  return { group: "", version: "v1", kind, plural, namespaced: true };
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * @returns the path of a collection: of all namespaces when `namespace` is "" or absent
 * @throws KubeError "Invalid" when the namespace is no DNS-1123 label (`..` would change the path)
 */
export function collectionPath(type: ResourceType, namespace = ""): string {
  const root = type.group === "" ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  if (namespace === "" || !type.namespaced) return `${root}/${type.plural}`;
  if (!LABEL.test(namespace)) throw new KubeError("Invalid", 0, "the namespace is not a DNS-1123 label");
  return `${root}/namespaces/${namespace}/${type.plural}`;
}

/**
 * @returns the path of one object or of its subresource.
 * @throws KubeError "Invalid" when a name is not DNS-1123 or a namespaced object has no namespace.
 */
export function objectPath(type: ResourceType, key: Omit<ObjectKey, "kind">, subresource?: "status"): string {
  if (type.namespaced && key.namespace === "") {
    throw new KubeError("Invalid", 0, `a ${type.kind} needs a namespace`);
  }
  if (key.name.length > 253 || !SUBDOMAIN.test(key.name)) {
    throw new KubeError("Invalid", 0, `the name of a ${type.kind} is not a DNS-1123 subdomain`);
  }
  const path = `${collectionPath(type, key.namespace)}/${key.name}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** @returns the `apiVersion` of a type: "v1" or "group/version". */
export function apiVersionOf(type: ResourceType): string {
  return type.group === "" ? type.version : `${type.group}/${type.version}`;
}
