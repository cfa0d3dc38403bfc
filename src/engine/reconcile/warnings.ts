/** Warns once of an annotation of a user that cannot be read. */
import { PAUSED, POLL_INTERVAL } from "../../api/names.ts";
import { invalidPause } from "../../api/paused.ts";
import type { Reconciliation } from "../status/reconciliation.ts";

/** @param invalid the annotation's value; undefined where it is valid or absent */
export function warnOfInterval(r: Reconciliation, invalid: string | undefined): void {
  warnOnce(r, POLL_INTERVAL, invalid, 'which is no duration such as "90s" or "1h30m"; the default is used.');
}

/** Warns of an object whose user meant to pause it, perhaps. */
export function warnOfPause(r: Reconciliation): void {
  warnOnce(
    r,
    PAUSED,
    invalidPause(r.object),
    'which is not understood: the object is not paused. "true", "1" and "yes" pause it, "false", "0" and "no" do not.',
  );
}

function warnOnce(
  { ports, object, local }: Reconciliation,
  annotation: string,
  invalid: string | undefined,
  wrong: string,
): void {
  if (invalid === undefined || local.warned.has(`${annotation}=${invalid}`)) return;
  local.warned.add(`${annotation}=${invalid}`);
  ports.events.record({
    regarding: object,
    type: "Warning",
    reason: "InvalidSpec",
    action: "Reconcile",
    note: `The annotation ${annotation} is ${JSON.stringify(invalid.slice(0, 40))}, ${wrong}`,
  });
}
