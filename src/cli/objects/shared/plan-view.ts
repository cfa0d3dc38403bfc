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

/** @returns the fields in which the platform differs, from the object's status */
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
      ...(commit === undefined ? [] : [{ path: "commit", observed: shortened(deployed), desired: shortened(commit) }]),
      ...fields,
    ].map((field) => `  ${fieldLine(field)}`),
  ]);
}

/** The first word of a step's message in the present tense → the verb for the future tense. */
const VERBS: Readonly<Record<string, string>> = {
  Bind: "bind",
  Creating: "create",
  Delete: "delete",
  Import: "import",
  Registering: "register",
  Remove: "remove",
  Replace: "replace",
  Update: "update",
};

/**
 * Puts the message of a step into the future tense, because a plan has not begun; messages of steps are in the
 * present, e.g. "Creating …", "Update …" or "… is being deployed".
 */
export function inFuture(message: string): string {
  const [first = "", ...rest] = message.split(" ");
  const verb = Object.hasOwn(VERBS, first) ? VERBS[first] : undefined;
  if (verb !== undefined) return ["Will", verb, ...rest].join(" ");
  return message.replace(" is being ", " will be ").replace(" are being ", " will be ");
}

/** The number of characters of a commit that are shown, as in the history: two commits fit into 120 columns. */
const COMMIT = 12;

function shortened(commit = "none"): string {
  return commit.slice(0, COMMIT);
}

/** @returns a difference in one line: the current value, and the new one */
export function fieldLine({ path, observed, desired }: PlannedField): string {
  return printable(`${path}: ${observed} → ${desired}`);
}
