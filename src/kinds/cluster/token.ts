/** A short-lived token of the cluster in a Secret, renewed before it expires. Its value goes nowhere else. Pure. */
import type { JsonObject, Ms, Plan, Report } from "../../engine/contract/kind.ts";
import type { ClusterToken } from "../../platform/areas/clusters.ts";
import type { RunState } from "../shared/run-schedule.ts";
import { fitOptional } from "../shared/text.ts";
import type { ClusterMemory } from "./crd.ts";
import { FAULT_LOOK_MS, faultOf, type ClusterContext, type Observed } from "./model.ts";

/**
 * Returns a complete kubeconfig for one cluster and one token. Every value is a JSON string, which is valid YAML
 * whatever it contains.
 * @param cluster.caBundle PEM in base64
 */
export function kubeconfig(cluster: {
  readonly name: string;
  readonly server: string;
  readonly caBundle: string;
  readonly token: string;
}): string {
  const name = JSON.stringify(cluster.name);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${JSON.stringify(cluster.server)}
      certificate-authority-data: ${JSON.stringify(cluster.caBundle)}
users:
  - name: ${name}
    user:
      token: ${JSON.stringify(cluster.token)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${name}
current-context: ${name}
`;
}

type RememberedToken = NonNullable<ClusterMemory["token"]>;

/**
 * A token is renewed after two thirds of its life or five minutes before its end, whichever is first, but not within a
 * minute.
 */
const SHARE = 2 / 3;
const MARGIN_MS = 300_000;
const SHORTEST_MS = 60_000;

/**
 * Reports whether a token is wanted and available: a cluster that does not run gives none. Only a read of now counts:
 * a remembered answer may be from the middle of an upgrade.
 * @param runState that is wanted now
 */
function isWanted({ spec }: ClusterContext, { status }: Observed, runState: RunState | undefined): boolean {
  return spec.writeTokenSecretToRef !== undefined && runState !== "Stopped" && status?.isDeployed !== false;
}

/** Returns the token in the Secret, if it was written for this spec. */
function current({ spec, memory: { token }, resource: { generation } }: ClusterContext): RememberedToken | undefined {
  const isOfSpec = token?.generation === generation && token.secretName === spec.writeTokenSecretToRef?.name;
  return isOfSpec ? token : undefined;
}

/** Reports whether a token has to be fetched now. */
export function tokenDue(context: ClusterContext, observed: Observed, runState: RunState | undefined): boolean {
  if (!isWanted(context, observed, runState)) return false;
  const held = current(context);
  const isAsked = context.requested !== undefined || context.records.isSecretChanged;
  return held === undefined || isAsked || !(Date.parse(held.renewAt) > context.now.getTime());
}

/** Reports a token that cannot be fetched. That is no error while the last one is valid. */
export function checkToken(
  context: ClusterContext,
  observed: Observed,
  runState: RunState | undefined,
): Plan<never> | undefined {
  if (!isWanted(context, observed, runState)) return undefined;
  const { token } = observed;
  const held = current(context);
  if (token?.is !== "failed" || Date.parse(held?.expiresAt ?? "") > context.now.getTime()) return undefined;
  return faultOf(token.error);
}

/** Returns the Secret to write, and when the next token is due. */
export function tokenReport(
  context: ClusterContext,
  observed: Observed,
  runState: RunState | undefined,
): Pick<Report, "secret" | "lookWithin"> {
  const ref = context.spec.writeTokenSecretToRef;
  if (ref === undefined || !isWanted(context, observed, runState)) return {};
  const { token } = observed;
  if (token?.is === "failed") return { lookWithin: FAULT_LOOK_MS };
  const kept = token === undefined ? current(context) : keep(context, ref.name, token.value);
  if (kept === undefined) return {};
  const lookWithin = Math.max(0, Date.parse(kept.renewAt) - context.now.getTime());
  if (token === undefined) return { lookWithin };
  const data = dataOf(context, ref, token.value);
  const status = (resourceVersion: string): JsonObject => ({ token: { ...kept, resourceVersion } });
  return { lookWithin, secret: { name: ref.name, data, metadata: ref.metadata, status } };
}

function keep(
  context: ClusterContext,
  secretName: string,
  { status }: ClusterToken,
): Omit<RememberedToken, "resourceVersion"> {
  const { expirationTimestamp } = status;
  return {
    secretName,
    expiresAt: fitOptional(expirationTimestamp),
    renewAt: new Date(context.now.getTime() + renewAfter(context.now, expirationTimestamp)).toISOString(),
    generation: context.resource.generation,
  };
}

/** Returns the time until the renewal; five minutes for a token without a valid end. */
function renewAfter(now: Date, expires: string | undefined): Ms {
  const life = Date.parse(expires ?? "") - now.getTime();
  return Number.isNaN(life) ? MARGIN_MS : Math.max(SHORTEST_MS, Math.min(life * SHARE, life - MARGIN_MS));
}

function dataOf(
  context: ClusterContext,
  { server, caBundle }: NonNullable<ClusterContext["spec"]["writeTokenSecretToRef"]>,
  { status: { token, expirationTimestamp } }: ClusterToken,
): Readonly<Record<string, string>> {
  return {
    token,
    ...(expirationTimestamp === undefined ? {} : { expirationTimestamp }),
    ...(server === undefined || caBundle === undefined
      ? {}
      : { kubeconfig: kubeconfig({ name: context.resource.name, server, caBundle, token }) }),
  };
}
