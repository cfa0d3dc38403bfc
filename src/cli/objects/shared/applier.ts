/** Finds the program that applies an object from another source, e.g. a Git repository. */
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import type { Json } from "../../../kube/api/types.ts";

/** Programs that apply manifests from another source, by their field manager. */
const APPLIERS: readonly (readonly [manager: string, name: string])[] = [
  ["argocd-controller", "Argo CD"],
  ["kustomize-controller", "Flux"],
  ["helm-controller", "Flux"],
  ["helm", "Helm"],
];

/**
 * Returns the program that applies an object, e.g. "Argo CD".
 * @param answer the API server's answer to a write: the object with its field managers
 */
export function applierOf(answer: Json): string | undefined {
  const fields = listMember(member(answer, "metadata"), "managedFields");
  const managers = new Set(fields.map((one) => stringMember(one, "manager")));
  return APPLIERS.find(([manager]) => managers.has(manager))?.[1];
}
