/**
 * The declaration in src/operator/rbac.ts → manifests of deploy/rbac/: the roles, and the admission policy that limits
 * the operator to owned ConfigMaps.
 */
import { GROUP, INSTALLATION_KEY } from "../src/api/names.ts";
import { OPERATOR, ORPHANS } from "../src/config/names.ts";
import { RESOURCES } from "../src/kinds/index.ts";
import { CONFIG_MAP_OUTPUTS, GRANTS, SECRET_OUTPUTS } from "../src/operator/rbac.ts";
import type { Grant, OutputGrant } from "../src/operator/rbac.ts";

const RBAC = "rbac.authorization.k8s.io";
const ADMISSION = "admissionregistration.k8s.io";
const labels = { "app.kubernetes.io/name": OPERATOR };

/** Manifests by file name; the names sort in the order in which they can be applied. */
export function rbacManifests(): ReadonlyMap<string, readonly object[]> {
  return new Map([
    ["namespace.yaml", [namespace()]],
    ["operator.yaml", [serviceAccount(), installationKey(), ...admissionPolicy(), ...operatorRoles()]],
    ["secret-outputs.yaml", [outputsRole(SECRET_OUTPUTS)]],
    ["users.yaml", userRoles()],
  ]);
}

function namespace(): object {
  const enforce = { "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: OPERATOR, labels: { ...labels, ...enforce } } };
}

function serviceAccount(): object {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: OPERATOR, namespace: OPERATOR, labels },
    // The Deployment mounts its own token, which is bound and short-lived.
    automountServiceAccountToken: false,
  };
}

/** Returns the Secret without data: the operator fills it once, and another apply does not empty it. */
function installationKey(): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: INSTALLATION_KEY, namespace: OPERATOR, labels } };
}

function operatorRoles(): readonly object[] {
  const everywhere = GRANTS.filter(({ where }) => where === "everywhere" || where === "cluster").map(ruleOf);
  const inNamespace = GRANTS.filter(({ where }) => where === "operator's namespace").map(ruleOf);
  const here = { name: OPERATOR, namespace: OPERATOR, labels };
  const subjects = [{ kind: "ServiceAccount", name: OPERATOR, namespace: OPERATOR }];
  const ref = (kind: string, name = OPERATOR): object => ({ apiGroup: RBAC, kind, name });
  const clusterBinding = (name: string): object => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name, labels },
    roleRef: ref("ClusterRole", name),
    subjects,
  });
  return [
    { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name: OPERATOR, labels }, rules: everywhere },
    clusterBinding(OPERATOR),
    outputsRole(CONFIG_MAP_OUTPUTS),
    clusterBinding(CONFIG_MAP_OUTPUTS.role),
    { apiVersion: `${RBAC}/v1`, kind: "Role", metadata: here, rules: inNamespace },
    { apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata: here, roleRef: ref("Role"), subjects },
  ];
}

/** Returns a role without a binding. */
function outputsRole(grant: OutputGrant): object {
  const metadata = { name: grant.role, labels };
  return { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata, rules: [ruleOf(grant)] };
}

/** Returns the policy that limits CONFIG_MAP_OUTPUTS, and its binding. */
function admissionPolicy(): readonly object[] {
  const metadata = { name: `${OPERATOR}-configmaps`, labels };
  const spec = configMapPolicy({ namespace: OPERATOR, serviceAccount: OPERATOR });
  return [
    { apiVersion: `${ADMISSION}/v1`, kind: "ValidatingAdmissionPolicy", metadata, spec },
    {
      apiVersion: `${ADMISSION}/v1`,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: metadata.name, validationActions: ["Deny"] },
    },
  ];
}

/** The operator that the policy is for. The members may be expressions of the chart's templates. */
export interface PolicySubject {
  readonly namespace: string;
  readonly serviceAccount: string;
}

/**
 * Returns the spec of a ValidatingAdmissionPolicy: RBAC cannot limit the right of CONFIG_MAP_OUTPUTS to owned objects.
 * The ConfigMaps of the orphan ledger have no owner.
 */
export function configMapPolicy({ namespace, serviceAccount }: PolicySubject): object {
  const user = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const owned = (object: string): string =>
    `has(${object}.metadata.ownerReferences) && ${object}.metadata.ownerReferences.exists(owner, owner.apiVersion.startsWith('${GROUP}/'))`;
  return {
    // A policy that cannot be evaluated allows nothing.
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [CONFIG_MAP_OUTPUTS.group],
          apiVersions: ["v1"],
          operations: ["CREATE", "UPDATE"],
          resources: CONFIG_MAP_OUTPUTS.resources,
        },
      ],
    },
    matchConditions: [{ name: "is-the-operator", expression: `request.userInfo.username == '${user}'` }],
    variables: [
      {
        name: "isLedger",
        expression: `request.namespace == '${namespace}' && object.metadata.name.startsWith('${ORPHANS}-')`,
      },
    ],
    validations: [
      {
        expression: `oldObject == null || variables.isLedger || (${owned("object")} && ${owned("oldObject")})`,
        message: `the operator updates only ConfigMaps that a resource of ${GROUP} owns`,
      },
      {
        expression: `oldObject != null || variables.isLedger || (${owned("object")} && !request.namespace.startsWith('kube-'))`,
        message: `the operator creates only ConfigMaps that a resource of ${GROUP} owns, and none in kube-*`,
        reason: "Forbidden",
      },
    ],
  };
}

/** @returns a PolicyRule (rbac.authorization.k8s.io/v1). */
export function ruleOf({ group, resources, names, verbs }: Grant): object {
  return { apiGroups: [group], resources, ...(names !== undefined && { resourceNames: names }), verbs };
}

function userRoles(): readonly object[] {
  const role = (name: UserRole): object => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRole",
    metadata: {
      name: `${OPERATOR}-${name}`,
      labels: { ...labels, ...aggregated(name) },
    },
    rules: userRules(name),
  });
  return [role("view"), role("edit"), role("approve")];
}

/** The roles of users. `approve` is the right to approve plans, which the admission policy asks for. */
type UserRole = "view" | "edit" | "approve";

/**
 * Returns the rules that users get through the roles of Kubernetes: no status, no finalizers, and no cluster-scoped
 * kinds.
 * @param without kinds that are left out
 */
export function userRules(name: UserRole, without: readonly string[] = []): readonly object[] {
  const kinds = RESOURCES.filter(({ scope, kind }) => scope === "Namespaced" && !without.includes(kind));
  const resources = kinds.map(({ plural }) => plural);
  const verbs = {
    view: ["get", "list", "watch"],
    edit: ["create", "delete", "deletecollection", "patch", "update"],
    approve: ["approve"],
  };
  return [{ apiGroups: [GROUP], resources, verbs: verbs[name] }];
}

/** Returns the labels of aggregation: those who edit do not approve what they ask for. */
function aggregated(name: UserRole): Readonly<Record<string, string>> {
  const to = { view: ["view", "edit", "admin"], edit: ["edit", "admin"], approve: ["admin"] };
  return Object.fromEntries(to[name].map((role) => [`${RBAC}/aggregate-to-${role}`, "true"]));
}
