/** The groups of commands in the help: what a user does most often first, the operator itself last. */
import type { Entry } from "./base/command.ts";

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Look: ["tree", "status", "get", "trace", "events", "logs", "history", "plan", "orphans"],
  Act: [
    "reconcile",
    "approve",
    "resolve",
    "pause",
    "suspend",
    "resume",
    "rollback",
    "deploy",
    "database deploy",
    "database stop",
    "orphans forget",
  ],
  "Variables and secrets": ["variables list", "variables set", "secrets list", "secrets set", "env import"],
  Clusters: ["cluster kubeconfig", "cluster token", "cluster metrics", "cluster upgrade", "cluster stop"],
  "Ask the platform": [
    "projects",
    "env-stats",
    "app-status",
    "deployment",
    "ingress-status",
    "catalog",
    "providers",
    "regions",
    "database-types",
    "repositories",
    "default-values",
    "credentials show",
    "invoices send",
  ],
  "Set up": ["check", "export", "report", "completion", "version"],
  "The operator": ["run"],
};

const NAMES = Object.values(GROUPS).flat();

/** @returns the commands in the order of the help; those in no group, which are hidden, come last */
export function grouped(entries: readonly Entry[]): readonly Entry[] {
  const place = ({ name }: Entry): number => (NAMES.includes(name) ? NAMES.indexOf(name) : NAMES.length);
  return entries.toSorted((left, right) => place(left) - place(right));
}

/** @returns the title of a command's group @throws TypeError for a command in no group */
export function groupOf(command: string): string {
  const found = Object.entries(GROUPS).find(([, names]) => names.includes(command));
  if (found === undefined) throw new TypeError(`command ${command} has no group in the help`);
  return found[0];
}
