/** The model of Widget, the kind that the engine's tests reconcile. */
import { z } from "zod";

import { digestField, memorySchema } from "../../../src/api/status.ts";
import type { Fingerprint, ReconcileContext } from "../../../src/engine/contract/kind.ts";
import type { Remote } from "./fake-platform.ts";

const reference = z.object({ name: z.string().optional(), externalId: z.string().optional() });

export const widgetSpec = z.object({
  name: z.string(),
  parentRef: reference.optional(),
  externalId: z.string().optional(),
  note: z.string().optional(),
  commit: z.string().optional(),
  secret: z.object({ name: z.string(), key: z.string() }).optional(),
  /** Writes a ConfigMap of that name. */
  output: z.string().optional(),
  /** Writes a Secret of that name. */
  outputSecret: z.string().optional(),
  /** Writes that entry into its object. */
  entry: z.string().optional(),
  /** Writes that entry ("<id>/<name>") into another object. */
  into: z.string().optional(),
  /** Where the kind throws an unexpected error. */
  explode: z.enum(["claim", "needs", "observe", "plan", "act", "report"]).optional(),
});

export type WidgetSpec = z.output<typeof widgetSpec>;

export const widgetMemory = memorySchema({
  deployed: z.object({ commit: z.string(), retry: z.string().optional() }),
  written: digestField("the content as last written"),
  told: z.string(),
  /** Where the kind throws an unexpected error when it reads the status. */
  torn: z.enum(["entries", "imprints"]),
});

export type WidgetMemory = z.output<typeof widgetMemory>;

export interface Inputs {
  readonly parentId: string | undefined;
  readonly content: Fingerprint | undefined;
  readonly entry: string | undefined;
  readonly into: string | undefined;
}

export interface Observed {
  readonly all: readonly Remote[] | undefined;
  readonly mine: Remote | undefined;
}

export type Action = "create" | "update" | "import" | "deploy" | "stop" | "delete";
export type WidgetContext = ReconcileContext<{ spec: WidgetSpec; inputs: Inputs; memory: WidgetMemory }>;
