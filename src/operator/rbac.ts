/**
 * The operator's rights in the cluster, from which deploy/rbac/ is generated. Least privilege: no list or watch of
 * Secrets, no wildcards, no workloads, no CRDs.
 */
import { GROUP, INSTALLATION_KEY } from "../api/names.ts";
import type { Resource } from "../api/resource.ts";
import { LEASE_NAME, OPERATOR, ORPHAN_CONFIG_MAPS, ORPHANS } from "../config/names.ts";
import { RESOURCES } from "../kinds/index.ts";

export interface Grant {
  /** "" is the core group. */
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Limits the grant to objects with these names. */
  readonly names?: readonly string[];
  /** "everywhere": in all namespaces, or in each of --watch-namespaces; "cluster": cluster-scoped objects. */
  readonly where: "everywhere" | "cluster" | "operator's namespace" | "namespaces where its role is bound";
  readonly why: string;
}

const pluralsOf = (scope: Resource["scope"]): readonly string[] =>
  RESOURCES.filter((resource) => resource.scope === scope).map(({ plural }) => plural);
const NAMESPACED = pluralsOf("Namespaced");
const IN_NO_NAMESPACE = pluralsOf("Cluster");
const statusOf = (plurals: readonly string[]): readonly string[] => plurals.map((plural) => `${plural}/status`);

/** The rules of the operator's roles. */
export const GRANTS: readonly Grant[] = [
  {
    group: GROUP,
    resources: NAMESPACED,
    verbs: ["get", "list", "watch", "patch"],
    where: "everywhere",
    why: "reads the custom resources; patches annotations and finalizers",
  },
  {
    group: GROUP,
    resources: statusOf(NAMESPACED),
    verbs: ["patch"],
    where: "everywhere",
    why: "writes what it found and did",
  },
  {
    group: GROUP,
    resources: IN_NO_NAMESPACE,
    verbs: ["get", "list", "watch", "patch"],
    where: "cluster",
    why: "reads the connections of the cluster; patches annotations and finalizers",
  },
  {
    group: GROUP,
    resources: statusOf(IN_NO_NAMESPACE),
    verbs: ["patch"],
    where: "cluster",
    why: "writes what it found and did",
  },
  {
    group: "",
    resources: ["secrets"],
    verbs: ["get"],
    where: "everywhere",
    why: "reads the tokens of connections, the credentials of their proxies and the values that specs refer to, by name",
  },
  {
    group: "",
    resources: ["configmaps"],
    verbs: ["get"],
    where: "everywhere",
    why: "reads values and certificates that specs refer to",
  },
  {
    group: "",
    resources: ["namespaces"],
    verbs: ["get"],
    where: "cluster",
    why: "reads the labels that a ClusterPlatformConnection selects by, whether a namespace terminates, and the uid of kube-system, which names the installation",
  },
  {
    group: "events.k8s.io",
    resources: ["events"],
    verbs: ["create", "patch"],
    where: "everywhere",
    why: "reports what happens to an object",
  },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["create"],
    where: "operator's namespace",
    why: "creates the lease of the leader election; a create cannot be limited by name",
  },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["get", "update"],
    names: [LEASE_NAME],
    where: "operator's namespace",
    why: "holds the lease of the leader election",
  },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["list"],
    names: [LEASE_NAME],
    where: "cluster",
    why: "finds other releases of the operator by their leases, and which namespaces they watch",
  },
  {
    group: "",
    resources: ["secrets"],
    verbs: ["get", "patch"],
    names: [INSTALLATION_KEY],
    where: "operator's namespace",
    why: "reads the key of the installation, and fills its Secret once",
  },
  {
    group: "",
    resources: ["configmaps"],
    verbs: ["get", "create"],
    where: "operator's namespace",
    why: "reads the certificates of cluster connections; creates the ConfigMaps of the orphan ledger, as a create cannot be limited by name",
  },
  {
    group: "",
    resources: ["configmaps"],
    verbs: ["get", "patch"],
    names: Array.from({ length: ORPHAN_CONFIG_MAPS }, (_, index) => `${ORPHANS}-${String(index)}`),
    where: "operator's namespace",
    why: "records what stays on the platform when its resource goes, and finds it again",
  },
];

/** A ClusterRole that is not bound everywhere in each installation. */
export type OutputGrant = Grant & { readonly role: string };

/**
 * A ClusterRole that is bound in the whole cluster only beside the admission policy of scripts/rbac.ts, which
 * limits it to owned ConfigMaps, as RBAC cannot. Otherwise a cluster admin may bind it in chosen namespaces. Only
 * catalogs need it; the status of their objects reports when it is missing.
 */
export const CONFIG_MAP_OUTPUTS: OutputGrant = {
  role: `${OPERATOR}-configmap-outputs`,
  group: "",
  resources: ["configmaps"],
  verbs: ["create", "patch"],
  where: "namespaces where its role is bound",
  why: "writes the content of catalogs into ConfigMaps, each owned by its resource",
};

/**
 * A ClusterRole that a cluster admin may bind in chosen namespaces: RBAC cannot limit a create by name, nor a patch to
 * owned objects, so its holder can write any Secret of the namespace. Only the fields writeTokenSecretToRef and
 * writeConnectionSecretToRef need it; the status of their objects reports when it is missing.
 */
export const SECRET_OUTPUTS: OutputGrant = {
  role: `${OPERATOR}-secret-outputs`,
  group: "",
  resources: ["secrets"],
  verbs: ["create", "patch"],
  where: "namespaces where its role is bound",
  why: "writes the Secrets that writeTokenSecretToRef and writeConnectionSecretToRef name, each owned by its resource",
};
