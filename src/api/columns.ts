import type { PrinterColumn } from "./resource.ts";

/** Returns a column of `kubectl get`. */
export function column(
  name: string,
  jsonPath: string,
  description: string,
  type: PrinterColumn["type"] = "string",
): PrinterColumn {
  return { name, type, jsonPath, description };
}

/** Returns a column that only `-o wide` shows. */
export function wide(...of: Parameters<typeof column>): PrinterColumn {
  return { ...column(...of), priority: 1 };
}

/** First in every table. */
export const READY = column("Ready", ofCondition("Ready", "status"), "Whether the platform is as the spec wants it.");

export const REASON = column("Reason", ofCondition("Ready", "reason"), "Why, in one word.");

export const SYNCED = column(
  "Synced",
  ofCondition("Synced", "status"),
  "Whether the last exchange with the platform succeeded.",
);

export const SINCE = column("Since", ofCondition("Ready", "lastTransitionTime"), "Time since Ready changed.", "date");

/** Last in every table. */
export const AGE = column("Age", ".metadata.creationTimestamp", "Time since the object was created.", "date");

export const REMOTE_ID = wide("Remote-ID", ".status.externalId", "Id on the platform.");

export const MESSAGE = wide("Message", ofCondition("Ready", "message"), "Why, and what to do.");

function ofCondition(type: string, member: string): string {
  return `.status.conditions[?(@.type=="${type}")].${member}`;
}
