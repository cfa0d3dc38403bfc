import { readFile } from "node:fs/promises";

import { z } from "zod";

/** One request as the API server saw it (audit.k8s.io/v1 Event), as far as tests look at it. */
const AuditEvent = z.object({
  verb: z.string(),
  user: z.object({ username: z.string() }),
  userAgent: z.string().default(""),
  requestURI: z.string(),
  objectRef: z
    .object({
      apiGroup: z.string().default(""),
      resource: z.string(),
      subresource: z.string().default(""),
      namespace: z.string().default(""),
      name: z.string().default(""),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
  /** The authorizer's decision and its reason, among others. */
  annotations: z.record(z.string(), z.string()).default({}),
  requestObject: z.unknown().optional(),
  requestReceivedTimestamp: z.string(),
});
export type AuditEvent = z.infer<typeof AuditEvent>;

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/**
 * The finished requests of a user, in the order of their end. A line that is being written is left out.
 * @param user as the log names it
 */
export async function readAudit(auditLogPath: string, user: string): Promise<AuditEvent[]> {
  const text = await readFile(auditLogPath, "utf8");
  return parseAudit(text.slice(0, text.lastIndexOf("\n")).split("\n"), user);
}

/**
 * The requests of a user among whole lines of the log; others are not even parsed, a log grows to tens of megabytes.
 */
export function parseAudit(lines: readonly string[], user: string): AuditEvent[] {
  return lines
    .filter((line) => line.includes(`"${user}"`))
    .map(parseAuditLine)
    .filter((event) => event.user.username === user);
}

/** One line of the log. @throws when it is none */
export function parseAuditLine(line: string): AuditEvent {
  return AuditEvent.parse(JSON.parse(line));
}

/** Whether a request asked for a change; TokenRequests and access reviews are none. */
export function isWrite({ verb, objectRef }: AuditEvent): boolean {
  if (!writeVerbs.has(verb) || objectRef === undefined) return false;
  return objectRef.subresource !== "token" && !objectRef.apiGroup.startsWith("auth");
}

/** The user name under which a ServiceAccount's requests are logged. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
