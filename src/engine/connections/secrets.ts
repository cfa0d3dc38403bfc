/**
 * Which Secrets the operator takes values from. A value that a spec refers to can be read on the platform, so that a
 * person who may only write resources could read Secrets by them.
 */
import type { KeyValues } from "../../kube/api/types.ts";
import type { ConnectionSettings } from "../contract/connection.ts";
import type { StatusReason } from "../contract/kind.ts";

/** The limits of the Secrets that a resource may refer to. */
export interface SecretRules {
  /** The Secrets of the namespace that connections and the operator use, each with the title of one user. */
  readonly inUse: ReadonlyMap<string, string>;
  /** The labels that a Secret needs. undefined: none. */
  readonly labels: { readonly wanted: Readonly<Record<string, string>>; readonly connection: string } | undefined;
}

/** The types of Secrets with credentials of the cluster and its tools, which are no values for the platform. */
const CLOSED_TYPES: ReadonlySet<string> = new Set([
  "kubernetes.io/service-account-token",
  "bootstrap.kubernetes.io/token",
  "helm.sh/release.v1",
]);

/** @returns what is wrong with the type of a Secret, as the end of a sentence about it; undefined if nothing is */
export function closedType({ type }: KeyValues): string | undefined {
  if (type === undefined || !CLOSED_TYPES.has(type)) return undefined;
  return `has the type ${type}, from which the operator takes no values`;
}

/** @returns the names of the Secrets that a connection uses */
export function secretsUsedBy({ tokenSecret, proxy }: ConnectionSettings): readonly string[] {
  return [tokenSecret.name, proxy?.secretName].filter((name) => name !== undefined);
}

/**
 * @param secret its content; undefined before it is read
 * @returns why a field may not refer to the Secret; undefined if it may
 */
export function refusedSecret(
  { field, name }: { readonly field: string; readonly name: string },
  secret: KeyValues | undefined,
  { inUse, labels }: SecretRules,
): StatusReason | undefined {
  const user = inUse.get(name);
  const used = user && `is used by ${user}, so its values are not sent to the platform`;
  const closed = secret && closedType(secret);
  const unselected =
    labels !== undefined && secret !== undefined && !isSelected(secret, labels.wanted)
      ? `does not have the labels that spec.allowedSecrets of ${labels.connection} selects`
      : undefined;
  const problem = used ?? closed ?? unselected;
  if (problem === undefined) return undefined;
  const remedy = problem === unselected ? "Set them, or use another Secret." : "Use another Secret.";
  return { reason: "SecretNotAllowed", message: `Secret "${name}" ${problem}, but ${field} refers to it. ${remedy}` };
}

/** Without a label, nothing is selected. */
function isSelected({ labels = {} }: KeyValues, wanted: Readonly<Record<string, string>>): boolean {
  const pairs = Object.entries(wanted);
  return pairs.length > 0 && pairs.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
