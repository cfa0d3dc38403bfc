/** What hangs from what: every object below the first thing that it refers to. */
import { boundKinds } from "../../app/kinds.ts";
import { stringMember } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/types.ts";
import { factOf, idOf, type Fact } from "./facts.ts";

/** @returns a fact for every object, with its parent where that is among them or named in its spec. */
export function factsOf(objects: readonly KubeObject[]): readonly Fact[] {
  const parentOf = parents(objects);
  return objects.map((object) => factOf(object, parentOf(object)));
}

/** @returns the finder of an object's parent by name, or by its id on the platform among these objects. */
function parents(objects: readonly KubeObject[]): (object: KubeObject) => string | undefined {
  const kinds = new Map(boundKinds().map((kind) => [kind.kind, kind]));
  const byExternalId = new Map(
    objects.flatMap(({ kind, metadata, status }) => {
      const id = stringMember(status, "externalId");
      return id === undefined ? [] : [[`${kind}/${metadata.namespace ?? ""}/${id}`, metadata.name] as const];
    }),
  );
  return (object) => {
    const parent = kinds.get(object.kind)?.references(object)[0];
    if (parent === undefined) return undefined;
    const { namespace = "" } = object.metadata;
    const name = parent.name ?? byExternalId.get(`${parent.kind}/${namespace}/${parent.externalId ?? ""}`);
    return name === undefined ? undefined : idOf(parent.kind, namespace, name);
  };
}

/** @returns the object of that id and everything below it, in the order of `facts`. */
export function below(facts: readonly Fact[], id: string): readonly Fact[] {
  const parentsById = new Map(facts.map((fact) => [fact.id, fact.parent]));
  const isBelow = (at: string | undefined, depth: number): boolean =>
    at === id || (at !== undefined && depth > 0 && isBelow(parentsById.get(at), depth - 1));
  return facts.filter((fact) => isBelow(fact.id, DEPTH));
}

/** Deeper than any hierarchy of the platform: a circle ends here. */
const DEPTH = 8;
