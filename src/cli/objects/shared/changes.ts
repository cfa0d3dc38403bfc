/** One line for every change that a person would notice. */
import { factOf, type Fact } from "../../../console/tree/facts.ts";
import type { Change } from "../../../kube/watch/store.ts";
import { renderLine } from "./drawing.ts";

/**
 * @param known what was shown already.
 * @returns a listener that says what changed in what an object tells of itself; nothing while it tells nothing
 */
export function tellChanges(say: (line: string) => void, known: readonly Fact[] = []): (change: Change) => void {
  const told = new Map(known.map((fact) => [fact.id, renderLine(fact)]));
  return ({ type, object }) => {
    const fact = factOf(object);
    if (type === "deleted") {
      told.delete(fact.id);
      say(`− ${fact.id} is deleted`);
      return;
    }
    const line = renderLine(fact);
    if (fact.mark === "new" || told.get(fact.id) === line) return;
    told.set(fact.id, line);
    say(line);
  };
}
