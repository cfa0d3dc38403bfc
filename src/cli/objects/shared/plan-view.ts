/** Renders the plan in an object's status. Pure. */
import { isObject, member, stringMember } from "../../../kube/api/json.ts";
import type { Json, KubeObject } from "../../../kube/api/types.ts";
import { printable } from "../../../text/text.ts";

/** One write to the platform. */
export interface PlannedAction {
  readonly operation: string;
  readonly message: string;
  readonly commit: string | undefined;
  readonly fields: readonly PlannedField[];
}

export interface PlannedField {
  readonly path: string;
  readonly desired: string;
  readonly observed: string;
}

export interface StatusPlan {
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
    reason: stringMember(plan, "reason") ?? "",
    approved: member(plan, "approved") === true,
    actions: listOf(member(plan, "actions")).map((action) => ({
      operation: stringMember(action, "operation") ?? "",
      message: stringMember(action, "message") ?? "",
      commit: stringMember(action, "commit"),
      fields: fieldsOf(member(action, "fields")),
    })),
  };
}

/** @returns the fields of a plan or of drift, which have one shape */
export function fieldsOf(value: Json | undefined): readonly PlannedField[] {
  return listOf(value).map((field) => ({
    path: stringMember(field, "path") ?? "",
    desired: stringMember(field, "desired") ?? "",
    observed: stringMember(field, "observed") ?? "",
  }));
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

function listOf(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) return [];
  const list: readonly Json[] = value;
  return list.filter(isObject);
}
