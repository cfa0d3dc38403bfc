/** The change log of a running operator, and the corresponding calls in the platform's journal. */
import { z } from "zod";

import type { CallEntry, JournalEntry } from "../../../simulator/request/journal.ts";
import type { LogLine } from "../env/operator.ts";

const ChangeLine = z.object({
  logger: z.literal("changes"),
  pass: z.string().regex(/^[0-9a-z]{8}-[0-9a-z]+$/),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.uuid(),
  generation: z.int().min(1),
  installation: z.uuid(),
  connection: z.string(),
  cause: z.string(),
  op: z.string(),
  id: z.string().optional(),
  commit: z.string().optional(),
  requestId: z.uuid().optional(),
  method: z.enum(["POST", "PUT", "DELETE"]),
  path: z.string().startsWith("/"),
  status: z.int(),
  result: z.string(),
  durationMs: z.int(),
  message: z.string(),
});

export type ChangeLine = z.infer<typeof ChangeLine>;

/** @returns its lines about calls, in order. @throws ZodError for an incomplete line */
export function changeLog(lines: readonly LogLine[]): readonly ChangeLine[] {
  const ours = lines.filter((line) => line["logger"] === "changes" && !("orphan" in line));
  return ours.map((line) => ChangeLine.parse(line));
}

const OrphanLine = z.object({
  orphan: z.enum(["recorded", "found", "forgotten", "dropped"]),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  id: z.uuid(),
  installation: z.uuid(),
  host: z.string(),
  organizationId: z.uuid(),
  reason: z.string(),
  since: z.iso.datetime(),
});

/** @returns its lines about orphans. @throws ZodError for an incomplete line */
export function orphanLog(lines: readonly LogLine[]): readonly z.infer<typeof OrphanLine>[] {
  return lines.filter((line) => "orphan" in line).map((line) => OrphanLine.parse(line));
}

/** The calls in a platform's journal, oldest first. @param since only later ones than this entry */
export function callsIn(journal: readonly JournalEntry[], since = 0): readonly CallEntry[] {
  return journal.filter((entry) => entry.is === "call").filter(({ seq }) => seq > since);
}

const READ_ONLY_POST = "createHelmDefaultValues";

/** Whether a call asks for a change, also if it was refused. */
export function isChange({ method, operation }: CallEntry): boolean {
  return method !== "GET" && operation !== READ_ONLY_POST;
}

/** The path with "{}" in place of each id, without its query. */
export function templateOf(path: string): string {
  return (path.split("?", 1)[0] ?? "").replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{}");
}
