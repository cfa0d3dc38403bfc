/** Reasons of ids that lead nowhere, or to something else than the spec says. Pure. */
import type { IdentitySource, Uuid, Why } from "../../engine/contract/kind.ts";
import { deletedThere, notThere, sameName } from "./names.ts";

/**
 * The reason of an id that the platform does not show.
 * @param name of the object, for a recorded id
 */
export function unseen(
  { proof }: { readonly proof: IdentitySource | undefined },
  {
    noun,
    name,
    id,
    where,
  }: { readonly noun: string; readonly name: string; readonly id: Uuid; readonly where: string },
): Why {
  if (proof === "recorded") return deletedThere(`${noun} "${name}"`, id);
  if (proof !== "orphaned") return notThere(noun, id, where);
  const message = `The platform shows no ${noun} with the id ${id} in ${where}.`;
  return { reason: "ExternalResourceDeleted", message };
}

/** Reports whether an id that others may have written leads to an object of another name than the spec's. */
export function isMisnamed(
  { proof, spec }: { readonly proof: IdentitySource | undefined; readonly spec: { readonly name: string } },
  found: { readonly name: string } | undefined,
): boolean {
  const isChecked = proof === "claimed" || proof === "orphaned";
  return isChecked && found !== undefined && !sameName(found.name, spec.name);
}
