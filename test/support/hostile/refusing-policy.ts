/** The label of the operator's own Secrets. */
export const OURS = { "app.kubernetes.io/managed-by": "platform-operator" };

/** A policy that refuses new Secrets of the operator in a namespace, with their content in its message. */
export function refusingPolicy(namespace: string): object {
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
  const isOurs = `!("labels" in object.metadata) || !("app.kubernetes.io/managed-by" in object.metadata.labels)`;
  const api = "admissionregistration.k8s.io/v1";
  const metadata = { name: namespace };
  const policy = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: isOurs, messageExpression: `"quoted: " + string(object.data.token)` }],
  };
  const matchResources = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } };
  const binding = { policyName: namespace, validationActions: ["Deny"], matchResources };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: api, kind: "ValidatingAdmissionPolicy", metadata, spec: policy },
      { apiVersion: api, kind: "ValidatingAdmissionPolicyBinding", metadata, spec: binding },
    ],
  };
}
