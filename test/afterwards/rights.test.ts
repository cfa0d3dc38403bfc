/**
 * [E14] The operators of the integration tests used exactly the rights that they are granted. Only the whole suite uses
 * all of them: the test is skipped, and proves nothing, when a part of the suite ran.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import { describe, expect, inject, it } from "vitest";

import { INSTALLATION_KEY } from "../../src/api/names.ts";
import { LEASE_NAME, OPERATOR } from "../../src/config/names.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import { CONFIG_MAP_OUTPUTS, type Grant, GRANTS, SECRET_OUTPUTS } from "../../src/operator/rbac.ts";
import { type AuditEvent, parseAuditLine } from "../control-plane/audit.ts";
import { readNotes } from "../runner/run-notes.ts";
import { effort } from "../support/env/effort.ts";
import { figure } from "../support/platform/figure.ts";

/** A right in one line, e.g. "get secrets, everywhere" or "patch platformprojects.platform-operator.io/status, …". */
type Right = string;

/** The user of an environment's operator (test/support/env/env.ts): its namespace identifies the environment. */
const OPERATORS = /^system:serviceaccount:(operator-[0-9a-f]{8}):platform-operator$/;
/** The authorizer's reason for an allowed request (RBAC authorizer, "RBAC: allowed by …"). */
const ALLOWED = /^RBAC: allowed by (?:Cluster)?RoleBinding "([^"/]+)(?:\/[^"]+)?" of (?:Cluster)?Role /;

/**
 * Reads the log to its end. Requests of tests with an operator's token do not count: they have another user agent.
 */
async function usedRights(auditLogPath: string) {
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

/** @returns everything that src/operator/rbac.ts grants. */
function grantedRights(): ReadonlySet<Right> {
  return new Set(
    [...GRANTS, CONFIG_MAP_OUTPUTS, SECRET_OUTPUTS].flatMap(({ group, resources, verbs, where }) =>
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
  const outputs: readonly (string | undefined)[] = [SECRET_OUTPUTS.role, configMapOutputsIn(namespace)];
  if (outputs.includes(binding)) return "namespaces where its role is bound";
  const { objectRef } = event;
  const isOwn = objectRef?.namespace === namespace && ["", LEASE_NAME, INSTALLATION_KEY].includes(objectRef.name);
  return binding === OPERATOR && isOwn ? "operator's namespace" : undefined;
}

/** Returns the name of the binding for ConfigMaps, which is renamed like all cluster-scoped objects. */
function configMapOutputsIn(namespace: string): string {
  return CONFIG_MAP_OUTPUTS.role.replace(OPERATOR, namespace);
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

/** Rights that a run need not use, each with its reason. */
const SPARE: ReadonlyMap<string, string> = new Map([
  ...RESOURCES.map(({ plural, scope }): [string, string] => [
    `get ${plural} of platform-operator.io, ${scope === "Cluster" ? "cluster" : "everywhere"}`,
    "a writer reads an object of any kind again after a conflict, which needs another write at the same moment",
  ]),
  ...["get", "create", "patch"].map((verb): [string, string] => [
    `${verb} configmaps, operator's namespace`,
    "the same right everywhere allows the request first; this one is needed when single namespaces are watched",
  ]),
  [
    "get secrets, operator's namespace",
    "the same right everywhere allows the request first; this one is needed when single namespaces are watched",
  ],
  [
    "patch events of events.k8s.io, everywhere",
    "the count of a repeated event is written once a minute, and few operators of the tests run that long",
  ],
]);

/** Refusals that a test provokes on purpose (`mayRefuse`): outputs without a binding of their role. */
const REFUSED_ON_PURPOSE = ["create configmaps", "create secrets"];

describe("[E14] the operator's rights", () => {
  it("are exactly those that the whole suite used", async ({ task, skip }) => {
    const run = inject("integration") ?? skip("no integration test ran");
    const noted = readNotes(run.notesDir);
    const missing = run.files.filter((file) => !noted.has(file));
    // A run of the whole suite with missing files fails: it must not look like a run of chosen files.
    expect(effort.all && !run.chosen ? missing : [], "files that did not run").toEqual([]);
    skip(run.chosen || missing.length > 0, `only a part of the suite ran: ${missing.length} files are missing`);
    const { used, refused, strange, requests, operators } = await usedRights(run.auditLogPath);
    const granted = grantedRights();
    expect(strange, "requests that other roles allowed, or outside of the purpose of the operator's roles").toEqual([]);
    expect([...refused].toSorted(), "requests that RBAC refused").toEqual(REFUSED_ON_PURPOSE);
    const unknown = [...used].filter((right) => !granted.has(right));
    expect(unknown, "used, but not granted").toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !SPARE.has(right));
    expect(unused, "granted, but never used: remove it from src/operator/rbac.ts").toEqual([]);
    figure(task, `${granted.size} rights, ${requests} requests of ${operators} operators, 0 refused unexpectedly`);
  });
});
