import type { CallEntry, JournalEntry } from "../../../simulator/request/journal.ts";

/** The calls in a platform's journal, oldest first. @param since only later ones than this entry */
export function callsIn(journal: readonly JournalEntry[], since = 0): readonly CallEntry[] {
  return journal.filter((entry) => entry.is === "call").filter(({ seq }) => seq > since);
}

const READ_ONLY_POST = "createHelmDefaultValues";

/** Whether a call asks for a change, also if it was refused. */
export function isChange({ method, operation }: CallEntry): boolean {
  return method !== "GET" && operation !== READ_ONLY_POST;
}
