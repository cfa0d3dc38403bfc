import type { ResolvedNeeds, Uuid } from "../contract/kind.ts";
import type { Gate } from "./references.ts";
import { fingerprint, type ResolvedValues } from "./values.ts";

const NIL = "00000000-0000-0000-0000-000000000000";

/**
 * Returns what a kind's `inputs` reads from.
 * @param how `lenient` is set for a deletion: what cannot be resolved any more is then the recorded parent, the nil id
 * or the empty text instead of an error
 */
export function resolver(
  gate: Gate,
  values: ResolvedValues,
  how: {
    readonly token: () => string;
    readonly generation: number;
    readonly lenient: { readonly parentId: Uuid | undefined } | undefined;
  },
): ResolvedNeeds {
  const ids: ReadonlyMap<string, Uuid> = gate.is === "open" ? gate.ids : new Map();
  const found: ReadonlyMap<string, string> = values.is === "found" ? values.values : new Map();
  const all: ReadonlyMap<string, ReadonlyMap<string, string>> = values.is === "found" ? values.all : new Map();
  const sources = values.is === "found" ? values.sources : "";
  const otherwise = <T>(value: T | undefined, last: T, field: string): T => {
    if (value !== undefined) return value;
    if (how.lenient === undefined) throw new RangeError(`${field} was not asked for`);
    return last;
  };
  return {
    id: (field) => otherwise(ids.get(field), how.lenient?.parentId ?? NIL, field),
    idIfAny: (field) => ids.get(field),
    value: (field) => otherwise(found.get(field), "", field),
    all: (field) => otherwise(all.get(field), new Map(), field),
    fingerprint: (content) => fingerprint(content, `${how.generation} ${sources}`, how.token()),
  };
}
