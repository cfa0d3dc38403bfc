import { objectSchema, type ObjectSchema } from "../../../scripts/crd.ts";
import type { Resource } from "../../../src/api/resource.ts";
import { RESOURCES } from "../../../src/kinds/index.ts";

/** The names, the schemas and the rules of the whole object in the CRD of a kind. */
export interface KindSchema extends ObjectSchema, Pick<Resource, "kind" | "plural" | "rules"> {
  readonly namespaced: boolean;
}

/** @returns the schemas of all kinds in alphabetical order, as `npm run generate` writes them into crds/ */
export function readSchemas(): readonly KindSchema[] {
  return RESOURCES.toSorted((a, b) => a.plural.localeCompare(b.plural)).map((resource) => {
    const { kind, plural, rules, scope } = resource;
    return { kind, plural, rules, namespaced: scope === "Namespaced", ...objectSchema(resource) };
  });
}
