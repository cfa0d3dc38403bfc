/** Renders the plan in an object's status. Pure. */
import { listMember, member, stringMember } from "../../../kube/api/json.ts";
import type { Json, KubeObject } from "../../../kube/api/types.ts";
import { printable } from "../../../text/text.ts";

/** One write to the platform. */
export interface PlannedAction {
  readonly operation: string;
  readonly message: string;
  readonly commit: string | undefined;
  readonly fields: readonly PlannedField[];
}

interface PlannedField {
  readonly path: string;
  readonly desired: string;
  readonly observed: string;
}

interface StatusPlan {
  readonly hash: string;
  readonly reason: string;
  readonly approved: boolean;
  readonly actions: readonly PlannedAction[];
}

/** @returns the plan of an object; undefined when it has none */
export function planOf({ status }: KubeObject): StatusPlan | undefined {
  const plan = member(status, "plan");
  const hash = stringMember(plan, "hash");
  if (hash === undefined) return undefined;
  return {
    hash,
    reason: textOf(plan, "reason"),
    approved: member(plan, "approved") === true,
    actions: listMember(plan, "actions").map((action) => ({
      operation: textOf(action, "operation"),
      message: textOf(action, "message"),
      commit: stringMember(action, "commit"),
      fields: fieldsOf(action),
    })),
  };
}

/** @returns the fields that an object differs in on the platform, as its status says */
export function driftOf({ status }: KubeObject): readonly PlannedField[] {
  return fieldsOf(member(status, "drift"));
}

/** Reads the fields of an action or of drift, which have one shape. */
function fieldsOf(holder: Json | undefined): readonly PlannedField[] {
  return listMember(holder, "fields").map((field) => ({
    path: textOf(field, "path"),
    desired: textOf(field, "desired"),
    observed: textOf(field, "observed"),
  }));
}

function textOf(value: Json | undefined, name: string): string {
  return stringMember(value, name) ?? "";
}

/** @returns one line for each action, and one for each field below it */
export function actionLines(actions: readonly PlannedAction[]): readonly string[] {
  return actions.flatMap(({ operation, message, commit, fields }) => [
    [operation, message, commit === undefined ? "" : `(commit ${commit})`]
      .filter((word) => word !== "")
      .map(printable)
      .join("  "),
    ...fields.map((field) => `  ${fieldLine(field)}`),
  ]);
}

/** @returns a difference in one line: the current value, and the new one */
export function fieldLine({ path, observed, desired }: PlannedField): string {
  return printable(`${path}: ${observed} → ${desired}`);
}
