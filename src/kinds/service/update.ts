/** Whether the settings are to be sent. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import type { WrittenSettings } from "./crd-status.ts";
import type { Noun, ServicePass } from "./model.ts";
import { sendingDue, settingsDrift, shownField, unsentPaths, type Settings } from "./settings.ts";
import { stalled } from "./steps.ts";

interface Compared {
  readonly noun: Noun;
  /** The update of the full surface, e.g. "updateApplication". */
  readonly op: string;
  readonly declared: Settings;
  /** As the platform has them; undefined where it does not show them, or they were sent in this reconcile already. */
  readonly observed: Settings | undefined;
  /** Whether the platform shows the record, into which an update is put. */
  readonly isShown: boolean;
  readonly written: WrittenSettings | undefined;
}

/** The update, where the settings differ and the surface has one; it corrects others unless the spec changed. */
export function checkSettings(context: ServicePass, compared: Compared): Plan<{ readonly what: "update" }> | undefined {
  const { noun, op, declared, observed, written, isShown } = compared;
  if (context.supports(op) === "Unsupported" || !isShown) return checkSent(compared);
  if (observed === undefined) return undefined;
  const isAsked = context.requested !== undefined && settingsDrift(declared, observed).length > 0;
  if (!isAsked && !sendingDue(declared, observed, written)) return undefined;
  const corrects = context.requested === undefined && unsentPaths(declared, written).length === 0;
  const message = `Update the settings of the ${noun}.`;
  const changes = settingsDrift(declared, observed).map(shownField);
  return { is: "step", step: { repeat: "safe", op, do: { what: "update" }, message, corrects, changes } };
}

/** Where the platform shows no settings, those that were sent last are compared. */
function checkSent({ noun, declared, written }: Compared): Plan<never> | undefined {
  const changed = unsentPaths(declared, written);
  if (changed.length === 0) return undefined;
  return stalled(
    "UpdateNotSupported",
    `The platform's surface has no update of ${noun}s: ${changed.toSorted().join(", ")} cannot be changed. Change it back, or change it on the platform and adopt the ${noun} anew.`,
  );
}
