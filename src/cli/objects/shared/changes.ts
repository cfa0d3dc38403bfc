/** Writes one line for every visible change. */
import { factOf, type Fact } from "../../../console/tree/facts.ts";
import type { Change } from "../../../kube/watch/store.ts";
import { renderLine } from "./drawing.ts";

/**
 * @param known what was shown already
 * @returns a listener that prints changes of an object's state; nothing while it has none
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
