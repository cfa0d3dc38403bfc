/** The condition SettingsSynced: settings of the spec that the operator cannot send to the platform. Pure. */
import type { ConditionFact } from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { hasOperation, type WithSurface } from "./surface.ts";

/** What is updated, as messages name it. */
interface Updated {
  readonly noun: string;
  readonly plural: string;
  /** The operation that updates it; undefined where no surface has one. */
  readonly update: OperationName | undefined;
  /** The platform shows the settings that it has, so a change there is noticed. */
  readonly isShown: boolean;
}

/** Reports whether the platform has the update. */
export function hasUpdate(context: WithSurface, update: OperationName | undefined): boolean {
  return update !== undefined && hasOperation(context, update);
}

/**
 * Returns the condition, which exists only while a setting cannot be sent. It affects no other condition and no step.
 * @param paths the settings whose value in the spec the platform does not have, e.g. "spec.cpu"
 */
export function settingsCondition(
  context: WithSurface,
  paths: readonly string[],
  { noun, plural, update, isShown }: Updated,
): readonly ConditionFact[] {
  if (paths.length === 0) return [];
  const names = paths.toSorted().join(", ");
  const fact = { type: "SettingsSynced", status: "False" } as const;
  if (hasUpdate(context, update)) {
    const message = `Not sent: ${names}; everything else is. An update needs the record of the ${noun}, which the platform does not show. It is sent once the platform shows it. Or change the spec back.`;
    return [{ ...fact, reason: "NotObservable", message }];
  }
  const change = "Change the spec back, or make the change on the platform";
  const advice = isShown
    ? `${change}.`
    : `${change} and adopt the ${noun} with a new resource, or create the ${noun} again.`;
  const message = `The platform's surface has no update of ${plural}. Not changed there: ${names}; everything else is still sent. ${advice}`;
  return [{ ...fact, reason: "UpdateNotSupported", message }];
}
