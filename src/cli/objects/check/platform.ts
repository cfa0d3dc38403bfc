/** Checks the connections, and the platform of the connection that the user's commands use. */
import { TYPES } from "../../../config/kinds.ts";
import { ageOf } from "../../../console/tree/labels.ts";
import { summarize } from "../../../console/tree/summary.ts";
import { clusterPlatformConnection, platformConnection } from "../../../kinds/connection/crd.ts";
import { isKube, KubeError } from "../../../kube/api/errors.ts";
import { member, stringMember, tryParseJson } from "../../../kube/api/json.ts";
import { keyOf } from "../../../kube/api/objects.ts";
import type { Clock, KubeObject } from "../../../kube/api/types.ts";
import { createReader } from "../../../kube/watch/readers.ts";
import type { Access } from "../../base/access.ts";
import { typeOf, type ClusterClient } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";
import { explain } from "../../base/explain.ts";
import { shortTarget } from "../../base/targets.ts";
import { listKind } from "../shared/listing.ts";
import { failed, info, ok, unknown, type CheckContext, type Finding } from "./finding.ts";

/** With a larger difference, times on the platform do not prove who created an object. */
const SKEW_MS = 60_000;

const CONNECTIONS: readonly string[] = [platformConnection.kind, clusterPlatformConnection.kind];

/** Reports the conditions of the namespace's connections. @throws KubeError */
export async function checkConnections(cluster: ClusterClient): Promise<readonly Finding[]> {
  const { objects, unlisted } = await objectsOf(cluster, CONNECTIONS);
  if (objects.length === 0 && unlisted.length === 0) {
    const advice = "Create one, or add the namespace to spec.allowedNamespaces of a ClusterPlatformConnection.";
    const what = `namespace "${cluster.namespace}" has no PlatformConnection, and no ClusterPlatformConnection allows it`;
    return [failed("connections", `${what}. ${advice}`)];
  }
  const findings = objects.flatMap((object) => {
    const what = shortTarget(keyOf(object));
    return [connectionFinding(object, what), surfaceFinding(object, what)];
  });
  return [...findings, ...unlistedFindings("connections", unlisted)];
}

function surfaceFinding({ status }: KubeObject, what: string): Finding {
  const name = stringMember(member(status, "surface"), "name");
  if (name === "Full") return info(`${what} surface`, "Full: the platform's whole API");
  if (name === "Documented") return info(`${what} surface`, "Documented: the operations of the specification");
  return info(`${what} surface`, "undecided; only the operations of the specification are used");
}

function connectionFinding(object: KubeObject, what: string): Finding {
  const { mark, reason, message } = summarize(object);
  if (mark === "ready" || mark === "warned") return ok(what, message);
  const words = [reason, message].filter((word) => word !== "").join(": ");
  return mark === "new" ? unknown(what, "the operator has not reported a condition yet") : failed(what, words);
}

/** Returns the objects that concern the namespace, and the plurals of the kinds that the user may not list. */
async function objectsOf(cluster: ClusterClient, kinds: readonly string[]) {
  const { namespace } = cluster;
  const lists = await Promise.all(kinds.map((kind) => listKind(cluster, kind, namespace)));
  const [first] = lists;
  if (first instanceof CliError && lists.every((list) => list instanceof CliError)) throw first;
  return {
    objects: lists
      .flatMap((list) => (list instanceof Error ? [] : list))
      .filter((object) => concerns(object, namespace)),
    unlisted: kinds.filter((_, index) => lists[index] instanceof KubeError).map((kind) => typeOf(kind).plural),
  };
}

function unlistedFindings(what: string, unlisted: readonly string[]): readonly Finding[] {
  return unlisted.length === 0 ? [] : [unknown(what, `you may not list ${unlisted.join(", ")}`)];
}

/**
 * Reports whether an object concerns a namespace: a cluster-scoped connection concerns the namespaces that it names,
 * and any namespace if it has a selector.
 */
function concerns({ kind, spec }: KubeObject, namespace: string): boolean {
  if (kind !== clusterPlatformConnection.kind) return true;
  const { allowedNamespaces: allowed } = clusterPlatformConnection.spec.safeParse(spec).data ?? {};
  const all = allowed === undefined ? [] : [allowed, ...(allowed.limited ?? [])];
  return all.some(({ names, selector }) => selector !== undefined || names?.includes(namespace) === true);
}

/** Calls the platform with the connection that the user's commands use. @throws ApiError, KubeError */
export async function checkPlatform(context: CheckContext): Promise<readonly Finding[]> {
  const what = "platform";
  const access = await context.access().catch((error: unknown) => {
    if (error instanceof CliError || isKube(error, "Forbidden")) return unknown(what, explain(error).message);
    throw error;
  });
  if ("detail" in access) return [access];
  const { length } = await access.platform.projects.list();
  return [
    ok(what, `it answers; the token sees ${length} ${length === 1 ? "project" : "projects"}`),
    clockFinding(access, context.clock),
    ...(await tokenFindings(access, context)),
  ];
}

function clockFinding({ platform }: Access, clock: Clock): Finding {
  const platformNow = platform.serverNow();
  const what = "clocks";
  if (platformNow === undefined) return unknown(what, "the platform does not show its time");
  const skew = Math.abs(clock.now().getTime() - platformNow.getTime());
  if (skew <= SKEW_MS) return ok(what, "this machine and the platform agree");
  const seconds = Math.round(skew / 1_000);
  return failed(what, `this machine and the platform are ${seconds} s apart. Set this machine's clock.`);
}

/** The platform does not show what a token may do; a JWT has its expiry (RFC 7519 §4.1.4). */
async function tokenFindings(
  { connection, spec }: Access,
  { cluster, operatorNamespace, clock }: CheckContext,
): Promise<readonly Finding[]> {
  const what = "token";
  const { scheme, tokenSecretRef } = spec.auth;
  const namespace = connection.metadata.namespace ?? operatorNamespace;
  const secret = await createReader(cluster.client, clock).secret(namespace, tokenSecretRef.name, 0);
  const expires = expiryOf(secret?.get(tokenSecretRef.key) ?? "");
  const scope = info(
    what,
    "the platform does not show its scope: reads need Read, deployments Deploy, creates and updates Write; " +
      "a missing scope appears as PermissionDenied on the object",
  );
  if (expires === undefined) return [scope];
  const left = ageOf(clock.now().toISOString(), expires);
  const hasExpired = expires.getTime() <= clock.now().getTime();
  return [
    hasExpired
      ? failed(what, "it has expired. Put a new one into the connection's Secret.")
      : info(what, `it is a user's token and expires in ${left}; API tokens do not expire`),
    ...(scheme === "Token" ? [info(what, "it is a JWT, which needs spec.auth.scheme: Bearer")] : []),
    scope,
  ];
}

function expiryOf(token: string): Date | undefined {
  const [, payload, signature] = token.trim().split(".");
  if (payload === undefined || signature === undefined) return undefined;
  const exp = member(tryParseJson(Buffer.from(payload, "base64url").toString()), "exp");
  return typeof exp === "number" ? new Date(exp * 1_000) : undefined;
}

/** Reports the objects that are Stalled, which need a person. @throws KubeError */
export async function checkObjects(cluster: ClusterClient): Promise<readonly Finding[]> {
  const what = "objects";
  // The connections have findings of their own.
  const kinds = TYPES.map(({ kind }) => kind).filter((kind) => !CONNECTIONS.includes(kind));
  const { objects, unlisted } = await objectsOf(cluster, kinds);
  const stalled = objects.filter((object) => summarize(object).mark === "stalled");
  const content = unlisted.length === kinds.length ? [] : [ok(what, `none of ${objects.length} is Stalled`)];
  const findings = stalled.map((object) => {
    const { reason, message } = summarize(object);
    return failed(shortTarget(keyOf(object)), `${reason}: ${message}`);
  });
  return [...(stalled.length === 0 ? content : findings), ...unlistedFindings(what, unlisted)];
}
