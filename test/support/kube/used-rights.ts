/** The rights that the operators of the integration tests used, from the API server's audit log. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import { LEASE_NAME, OPERATOR } from "../../../src/operator/config/names.ts";
import { type Grant, GRANTS, SECRET_OUTPUTS } from "../../../src/operator/config/rbac.ts";
import { type AuditEvent, parseAuditLine } from "../../control-plane/audit.ts";

/** A right in one line, e.g. "get secrets, everywhere" or "patch platformprojects.platform-operator.io/status, …". */
type Right = string;

/** The user of an environment's operator (test/support/env/env.ts): its namespace identifies the environment. */
const OPERATORS = /^system:serviceaccount:(operator-[0-9a-f]{8}):platform-operator$/;
/** The authorizer's reason for an allowed request (RBAC authorizer, "RBAC: allowed by …"). */
const ALLOWED = /^RBAC: allowed by (?:Cluster)?RoleBinding "([^"/]+)(?:\/[^"]+)?" of (?:Cluster)?Role /;

/**
 * Reads the log to its end. Requests of tests with an operator's token do not count: they have another user agent.
 */
export async function usedRights(auditLogPath: string) {
  const used = new Set<Right>();
  /** Requests that RBAC refused. */
  const refused = new Set<Right>();
  /** Requests that other roles allowed, or that used a right differently than intended. */
  const strange = new Set<string>();
  const operators = new Set<string>();
  let requests = 0;
  for await (const line of createInterface({ input: createReadStream(auditLogPath) })) {
    const event = line.includes(":serviceaccount:operator-") ? parseAuditLine(line) : undefined;
    const [, namespace] = OPERATORS.exec(event?.user.username ?? "") ?? [];
    if (event === undefined || namespace === undefined || !event.userAgent.startsWith(`${OPERATOR}/`)) continue;
    operators.add(namespace);
    requests += 1;
    if (event.annotations["authorization.k8s.io/decision"] === "forbid") {
      refused.add(`${event.verb} ${resourceOf(event)}`);
      continue;
    }
    const where = scopeOf(event, namespace);
    if (where === undefined) strange.add(`${event.verb} ${event.requestURI}: ${reasonOf(event)}`);
    else used.add(right(event.verb, resourceOf(event), where));
  }
  return { used, refused, strange: [...strange], requests, operators: operators.size };
}

/** @returns everything that src/operator/config/rbac.ts grants. */
export function grantedRights(): ReadonlySet<Right> {
  return new Set(
    [...GRANTS, SECRET_OUTPUTS].flatMap(({ group, resources, verbs, where }) =>
      resources.flatMap((resource) => verbs.map((verb) => right(verb, qualified(group, resource), where))),
    ),
  );
}

const IN_NO_NAMESPACE: ReadonlySet<string> = new Set(
  GRANTS.filter(({ where }) => where === "cluster").flatMap(({ group, resources }) =>
    resources.map((resource) => qualified(group, resource)),
  ),
);

function right(verb: string, resource: string, where: Grant["where"]): Right {
  return `${verb} ${resource}, ${where}`;
}

/** Returns which of our roles allowed a request; undefined for another role, or a use outside of its purpose. */
function scopeOf(event: AuditEvent, namespace: string): Grant["where"] | undefined {
  const [, binding] = ALLOWED.exec(reasonOf(event)) ?? [];
  if (binding === namespace) return IN_NO_NAMESPACE.has(resourceOf(event)) ? "cluster" : "everywhere";
  if (binding === SECRET_OUTPUTS.role) return "namespaces where its role is bound";
  const { objectRef } = event;
  const isOwn = objectRef?.namespace === namespace && ["", LEASE_NAME].includes(objectRef.name);
  return binding === OPERATOR && isOwn ? "operator's namespace" : undefined;
}

function reasonOf({ annotations }: AuditEvent): string {
  return annotations["authorization.k8s.io/reason"] ?? "";
}

function resourceOf({ objectRef, requestURI }: AuditEvent): string {
  if (objectRef === undefined) return requestURI;
  const { apiGroup, resource, subresource } = objectRef;
  return qualified(apiGroup, subresource === "" ? resource : `${resource}/${subresource}`);
}

function qualified(group: string, resource: string): string {
  return group === "" ? resource : `${resource} of ${group}`;
}
