/**
 * When resources last wrote into objects of the platform that other resources stand for, e.g. a set of variables into
 * applications: what stands for the object has to bring that out.
 */
import { keyOf } from "../kube/objects.ts";
import type { KubeObject } from "../kube/types.ts";
import { keyText } from "./keys.ts";
import { realmOf, recordedRealm, type Realm } from "./realm.ts";
import type { Imprint, Uuid } from "./terms.ts";

export interface Imprints {
  /** Takes note of what an object's status records, in place of what it recorded before. @returns the ids that are new or later */
  record(object: KubeObject, imprints: readonly Imprint[]): readonly Uuid[];
  /**
   * Takes note of what an object has just written, before its status says so: what is brought out from now on has it in
   * it already, and must not be brought out once more when the status comes.
   * @param realm where it has written
   */
  note(object: KubeObject, imprints: readonly Imprint[], realm: Realm): void;
  forget(object: KubeObject): void;
  /** When anybody of that realm last wrote into it, by the platform's clock (ISO 8601); undefined when nobody did. */
  latest(id: Uuid, realm: Realm): string | undefined;
}

/** What one resource wrote. */
interface Written {
  readonly realm: string;
  readonly at: ReadonlyMap<Uuid, string>;
}

export function createImprints(): Imprints {
  const byWriter = new Map<string, Written>();
  const unrecorded = new Map<string, Written>();
  return {
    record: (object, imprints) => {
      const key = keyText(keyOf(object));
      const before = byWriter.get(key);
      if (imprints.length > 0) byWriter.set(key, written(imprints, recordedRealm(object)));
      else byWriter.delete(key);
      return imprints.flatMap(({ id, at }) => (at > (before?.at.get(id) ?? "") ? [id] : []));
    },
    note: (object, imprints, realm) => {
      unrecorded.set(keyText(keyOf(object)), written(imprints, realm));
    },
    forget: (object) => {
      byWriter.delete(keyText(keyOf(object)));
      unrecorded.delete(keyText(keyOf(object)));
    },
    latest: (id, realm) => {
      const here = realmOf(realm);
      return [...byWriter.values(), ...unrecorded.values()]
        .flatMap((one) => (one.realm === here ? (one.at.get(id) ?? []) : []))
        .toSorted((left, right) => (left < right ? 1 : -1))[0];
    },
  };
}

function written(imprints: readonly Imprint[], realm: Realm): Written {
  return { realm: realmOf(realm), at: new Map(imprints.map(({ id, at }) => [id, at])) };
}
