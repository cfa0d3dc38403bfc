import type { PrinterColumn } from "./resource.ts";

const ofReady = (member: string): string => `.status.conditions[?(@.type=="Ready")].${member}`;

/** First in every table. */
export const READY: PrinterColumn = {
  name: "Ready",
  type: "string",
  jsonPath: ofReady("status"),
  description: "Whether the platform is as the spec wants it.",
};

export const REASON: PrinterColumn = {
  name: "Reason",
  type: "string",
  jsonPath: ofReady("reason"),
  description: "Why, in one word.",
};

export const SYNCED: PrinterColumn = {
  name: "Synced",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Synced")].status',
  description: "Whether the last exchange with the platform succeeded.",
};

export const SINCE: PrinterColumn = {
  name: "Since",
  type: "date",
  jsonPath: ofReady("lastTransitionTime"),
  description: "Time since Ready changed.",
};

/** Last in every table. */
export const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the object was created.",
};

export const REMOTE_ID: PrinterColumn = {
  name: "Remote-ID",
  type: "string",
  jsonPath: ".status.externalId",
  description: "Id on the platform.",
  priority: 1,
};

export const MESSAGE: PrinterColumn = {
  name: "Message",
  type: "string",
  jsonPath: ofReady("message"),
  description: "Why, and what to do.",
  priority: 1,
};
