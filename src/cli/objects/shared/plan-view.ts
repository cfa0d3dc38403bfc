/** Renders the plan in an object's status. Pure. */
import { z } from "zod";

import { listMember, member } from "../../../kube/api/json.ts";
import type { KubeObject } from "../../../kube/api/types.ts";
import { printable } from "../../../text/text.ts";

const text = z.string().catch("");
const plannedField = z.object({ path: text, desired: text, observed: text });
const plannedAction = z.object({
  operation: text,
  message: text,
  commit: z.string().optional().catch(undefined),
  fields: z.array(plannedField).catch([]),
});
const statusPlan = z.object({
  hash: z.string(),
  reason: text,
  approved: z.boolean().catch(false),
  actions: z.array(plannedAction).catch([]),
});

type PlannedField = Readonly<z.output<typeof plannedField>>;
/** One write to the platform. */
export type PlannedAction = Readonly<z.output<typeof plannedAction>>;

/** @returns the plan of an object; undefined when it has none */
export function reportedPlan({ status }: KubeObject): z.output<typeof statusPlan> | undefined {
  return statusPlan.safeParse(member(status, "plan")).data;
}

/** @returns the fields that an object differs in on the platform, as its status says */
export function reportedDrift({ status }: KubeObject): readonly PlannedField[] {
  return listMember(member(status, "drift"), "fields").flatMap((field) => plannedField.safeParse(field).data ?? []);
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
