/** Renders the plan in an object's status. Pure. */
import { z } from "zod";

import { listMember, member, stringMember } from "../../../kube/api/json.ts";
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

/** @returns the commit of the last deployment that the operator made */
export function lastDeployedCommit({ status }: KubeObject): string | undefined {
  return stringMember(member(status, "lastDeployment"), "gitCommitId");
}

/**
 * @param deployed the commit that is deployed, which a new one follows
 * @returns one line for each action, and one for each field below it
 */
export function actionLines(actions: readonly PlannedAction[], deployed?: string): readonly string[] {
  return actions.flatMap(({ operation, message, commit, fields }) => [
    [operation, inFuture(message)]
      .filter((word) => word !== "")
      .map(printable)
      .join("  "),
    ...[
      ...(commit === undefined ? [] : [{ path: "commit", observed: deployed ?? "none", desired: commit }]),
      ...fields,
    ].map((field) => `  ${fieldLine(field)}`),
  ]);
}

const FUTURE: readonly (readonly [RegExp, string])[] = [
  [/^Creating /, "Will create "],
  [/^Registering /, "Will register "],
  [/ (is|are) being /, " will be "],
];

/** Steps say what they do while they do it; nothing of a plan has begun. */
function inFuture(message: string): string {
  const order = /^(Bind|Delete|Import|Remove|Replace|Update) /.exec(message);
  if (order !== null) return `Will ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return FUTURE.reduce((text, [now, later]) => text.replace(now, later), message);
}

/** @returns a difference in one line: the current value, and the new one */
export function fieldLine({ path, observed, desired }: PlannedField): string {
  return printable(`${path}: ${observed} → ${desired}`);
}
