/** Checks the connections, and the platform of the one that the user would use. */
import { ageOf } from "../../../console/tree/duration.ts";
import { conditionOf, factOf } from "../../../console/tree/facts.ts";
import { clusterPlatformConnection, platformConnection } from "../../../kinds/connection/crd.ts";
import type { Clock, KubeObject } from "../../../kube/api/types.ts";
import { createReader } from "../../../kube/watch/secrets.ts";
import { ApiError } from "../../../platform/transport/errors.ts";
import type { Access } from "../../base/access.ts";
import type { Cluster } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { explain } from "../../base/explain.ts";
import { operationsOf } from "../../base/surface.ts";
import { listObjects } from "../shared/listing.ts";
import { shortTarget } from "../shared/target.ts";
import { failed, info, ok, unknown, type Finding } from "./finding.ts";

/** With a larger difference, the platform's times cannot show who created something (docs/architecture.md §7). */
const SKEW_MS = 60_000;

export interface Platforms {
  readonly cluster: Cluster;
  readonly access: () => Promise<Access>;
  readonly operatorNamespace: string;
  /** The operator's, in that namespace. */
  readonly serviceAccount: string;
  readonly clock: Clock;
}

/** Reports the conditions of the namespace's connections. @throws KubeError */
export async function checkConnections({ cluster }: Platforms): Promise<readonly Finding[]> {
  const kinds = [platformConnection.kind, clusterPlatformConnection.kind];
  const all = await listObjects({ cluster, namespace: cluster.namespace, kinds, tell: () => {} });
  const objects = all.filter((object) => concerns(object, cluster.namespace));
  if (objects.length === 0) {
    return [failed("connections", `there is none in namespace "${cluster.namespace}" nor in the cluster. Create one.`)];
  }
  return objects.flatMap((object) => [connectionFinding(object), ...operationFindings(object)]);
}

function connectionFinding(object: KubeObject): Finding {
  const what = nameOf(object);
  const { mark, reason, message } = factOf(object);
  if (mark === "ready" || mark === "warned") return ok(what, message);
  const words = [reason, message].filter((word) => word !== "").join(": ");
  return mark === "new" ? unknown(what, "the operator has not said anything of it") : failed(what, words);
}

/** Reports what is known of the operations beyond the specification. */
function operationFindings(object: KubeObject): readonly Finding[] {
  return operationsOf(object).map(({ support, names }) => info(`${nameOf(object)} ${support}`, names));
}

const nameOf = ({ kind, metadata }: KubeObject): string => shortTarget({ kind, name: metadata.name });

/**
 * Reports whether an object concerns a namespace: a cluster-scoped connection does in the namespaces that it names or
 * selects.
 */
function concerns({ kind, spec }: KubeObject, namespace: string): boolean {
  if (kind !== clusterPlatformConnection.kind) return true;
  const { allowedNamespaces: allowed } = clusterPlatformConnection.spec.safeParse(spec).data ?? {};
  return allowed?.selector !== undefined || (allowed?.names?.includes(namespace) ?? false);
}

/** Calls the platform as the user would. */
export async function checkPlatform(platforms: Platforms): Promise<readonly Finding[]> {
  const what = "platform";
  let access: Access;
  try {
    access = await platforms.access();
  } catch (error) {
    if (error instanceof CliError) return [unknown(what, error.message)];
    throw error;
  }
  try {
    const projects = await access.platform.projects.list();
    return [
      ok(what, `it answers; the token sees ${projects.length} ${projects.length === 1 ? "project" : "projects"}`),
      clockFinding(access, platforms.clock),
      ...(await tokenFindings(access, platforms)),
    ];
  } catch (error) {
    if (error instanceof ApiError) return [failed(what, explain(error).message)];
    throw error;
  }
}

function clockFinding({ platform }: Access, clock: Clock): Finding {
  const theirs = platform.serverNow();
  const what = "clocks";
  if (theirs === undefined) return unknown(what, "the platform does not show its time");
  const skew = Math.abs(clock.now().getTime() - theirs.getTime());
  if (skew <= SKEW_MS) return ok(what, "this machine and the platform agree");
  return failed(
    what,
    `this machine and the platform are ${Math.round(skew / 1_000)} s apart. Set this machine's clock.`,
  );
}

/** The platform does not show what a token may do; a JWT has its expiry (RFC 7519 §4.1.4). */
async function tokenFindings(
  { connection, spec }: Access,
  { cluster, operatorNamespace, clock }: Platforms,
): Promise<readonly Finding[]> {
  const what = "token";
  const { scheme, tokenSecretRef } = spec.auth;
  const namespace = connection.metadata.namespace ?? operatorNamespace;
  const secret = await createReader(cluster.client, clock).secret(namespace, tokenSecretRef.name, 0);
  const expires = expiryOf(secret?.data.get(tokenSecretRef.key) ?? "");
  const scope = info(
    what,
    "the platform does not show its scope: reads need Read, deployments Deploy, creates and updates Write; " +
      "what it may not do shows as PermissionDenied on the object",
  );
  if (expires === undefined) return [scope];
  const left = ageOf(clock.now().toISOString(), expires);
  const isOver = expires.getTime() <= clock.now().getTime();
  return [
    isOver
      ? failed(what, "it has expired. Put a new one into the connection's Secret.")
      : info(what, `it is a person's token and lasts ${left}: API tokens have no lifetime`),
    ...(scheme === "Token" ? [info(what, "it is a JWT: spec.auth.scheme is Bearer for those")] : []),
    scope,
  ];
}

function expiryOf(token: string): Date | undefined {
  const [, payload, signature] = token.trim().split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    const exp = typeof claims === "object" && claims !== null && "exp" in claims ? claims.exp : undefined;
    return typeof exp === "number" ? new Date(exp * 1_000) : undefined;
  } catch {
    return undefined;
  }
}

/** Reports the objects that need a person. @throws KubeError */
export async function checkObjects({ cluster }: Platforms): Promise<readonly Finding[]> {
  const all = await listObjects({ cluster, namespace: cluster.namespace, tell: () => {} });
  const objects = all.filter((object) => concerns(object, cluster.namespace));
  const stalled = objects.filter((object) => factOf(object).mark === "stalled");
  if (stalled.length === 0) return [ok("objects", `none of ${objects.length} needs a person`)];
  return stalled.map((object) => stalledFinding(object));
}

function stalledFinding(object: KubeObject): Finding {
  const { reason = "", message = "" } = conditionOf(object, "Stalled") ?? {};
  return failed(shortTarget({ kind: object.kind, name: object.metadata.name }), `${reason}: ${message}`);
}
