/** The admission policy that keeps the operator from the ConfigMaps of others. */
import { GROUP } from "../src/api/names.ts";
import { ORPHANS } from "../src/config/names.ts";
import { CONFIG_MAP_OUTPUTS } from "../src/operator/rbac.ts";

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
