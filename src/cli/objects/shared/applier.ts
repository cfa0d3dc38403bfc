/** Finds out which program applies an object from a source elsewhere. */
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import type { Json } from "../../../kube/api/types.ts";

/** Programs that apply manifests from elsewhere, by the field manager that they write with. */
const APPLIERS: readonly (readonly [manager: string, name: string])[] = [
  ["argocd-controller", "Argo CD"],
  ["kustomize-controller", "Flux"],
  ["helm-controller", "Flux"],
  ["helm", "Helm"],
];

/**
 * Returns the program that applies an object, e.g. "Argo CD".
 * @param answer the object as the API server answers a write, with its field managers
 */
export function applierOf(answer: Json): string | undefined {
  const fields = listMember(member(answer, "metadata"), "managedFields");
  const managers = new Set(fields.map((one) => stringMember(one, "manager")));
  return APPLIERS.find(([manager]) => managers.has(manager))?.[1];
}
