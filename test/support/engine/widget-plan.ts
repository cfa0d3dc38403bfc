/** The types and the plan of Widget, the kind that the engine's tests reconcile. */
import { z } from "zod";

import { digestField, memorySchema } from "../../../src/api/status.ts";
import {
  type Fingerprint,
  type Plan,
  type ReconcileContext,
  sameContent,
  type Step,
  type Why,
} from "../../../src/engine/contract/kind.ts";
import type { Remote } from "./fake-platform.ts";

const reference = z.object({ name: z.string().optional(), externalId: z.string().optional() });

export const widgetSpec = z.object({
  name: z.string(),
  parentRef: reference.optional(),
  externalId: z.string().optional(),
  note: z.string().optional(),
  commit: z.string().optional(),
  secret: z.object({ name: z.string(), key: z.string() }).optional(),
  output: z.string().optional(),
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

export function why(reason: Why["reason"], message: string): Why {
  return { reason, message };
}

export function differs(spec: WidgetSpec, mine: Remote): boolean {
  return spec.note !== undefined && spec.note !== mine.note;
}

export function planNew(pass: WidgetContext, observed: Observed): Plan<Action> {
  const [first, ...others] = (observed.all ?? []).filter(({ name }) => name === pass.spec.name);
  if (first !== undefined) {
    const holder = pass.records.holderOf(first.id);
    if (holder !== undefined) return { is: "stalled", why: why("AlreadyManaged", `It belongs to ${holder}.`) };
    if (others.length > 0) return { is: "stalled", why: why("DuplicateRemote", "There are several.") };
    return pass.policies.adoption === "Never"
      ? { is: "stalled", why: why("NameConflict", "The name is taken.") }
      : { is: "adopt", id: first.id };
  }
  const creating = why("Creating", "It is being created.");
  const step = { repeat: "once", op: "create", action: "create", creates: true, mark: null, why: creating } as const;
  return { is: "step", step: { ...step, name: pass.spec.name } };
}

export function planOld(pass: WidgetContext, observed: Observed, id: string): Plan<Action> {
  const { spec, memory } = pass;
  const { mine } = observed;
  if (mine === undefined) return planGone(pass, observed);
  const holder = pass.records.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: why("AlreadyManaged", `It belongs to ${holder}.`) };
  if (pass.identitySource !== "recorded") return planProof(pass, mine, id);
  const others = writtenByOthers(pass);
  if (others !== undefined) return others;
  if (differs(spec, mine) && !pass.policies.blockedOperations.has("update"))
    return { is: "step", step: updateOf(pass, mine) };
  const unsent = pass.inputs.content !== undefined && !sameContent(pass.inputs.content, memory.written);
  if (unsent && !pass.policies.blockedOperations.has("import")) {
    return { is: "step", step: { repeat: "safe", op: "import", action: "import" } };
  }
  if (mine.state === "BUSY") return { is: "waiting", why: DEPLOYING };
  if (mine.state === "ODD") return { is: "unknown", why: why("UnknownState", "An odd state."), condition: "Deployed" };
  return planDeploy(pass, mine);
}

function writtenByOthers({ spec, records: { holderOf } }: WidgetContext): Plan<Action> | undefined {
  const writer = spec.into === undefined ? undefined : holderOf(spec.into);
  return writer === undefined ? undefined : { is: "stalled", why: why("AlreadyManaged", `${writer} writes it.`) };
}

function planGone({ policies: { onMissing } }: WidgetContext, { all }: Observed): Plan<Action> {
  const is = all !== undefined && onMissing === "Recreate" ? "forget" : "stalled";
  return { is, why: why("ExternalResourceDeleted", "It is gone.") };
}

function updateOf({ spec }: WidgetContext, { note }: Remote): Step<Action> {
  const changes = [{ path: "spec.note", desired: spec.note ?? "", observed: note }];
  return { repeat: "safe", op: "update", action: "update", corrects: true, message: "Update the note.", changes };
}

function planDeploy(
  { spec, memory, requested, policies: { blockedOperations } }: WidgetContext,
  mine: Remote,
): Plan<Action> {
  const failed = mine.state === "FAILED";
  const retry = failed && requested !== undefined && requested !== memory.deployed?.retry;
  if (blockedOperations.has("deploy")) return failed ? FAILED : { is: "settled" };
  if (spec.commit !== undefined && (memory.deployed?.commit !== spec.commit || retry)) {
    const step = { repeat: "once", op: "deploy", action: "deploy", creates: false, why: DEPLOYING } as const;
    return { is: "step", step: { ...step, commit: spec.commit, mark: mine.deploys } };
  }
  return failed ? FAILED : { is: "settled" };
}

const DEPLOYING = why("Deploying", "A deployment runs.");
const FAILED = { is: "stalled", why: why("DeploymentFailed", "It failed.") } as const;

function planProof(pass: WidgetContext, mine: Remote, id: string): Plan<Action> {
  if (
    pass.supports("list") !== "Supported" &&
    !pass.policies.allowUnverifiedIds &&
    pass.identitySource !== "orphaned"
  ) {
    return { is: "stalled", why: why("NotObservable", "Nothing shows where it belongs.") };
  }
  return pass.identitySource !== "given" && mine.name !== pass.spec.name
    ? { is: "stalled", why: why("NameConflict", "It has another name.") }
    : { is: "adopt", id };
}

export function planEnd(pass: WidgetContext, { mine }: Observed): Plan<Action> {
  if (mine === undefined) return { is: "settled" };
  if (pass.goal === "stopped") {
    if (mine.state === "ODD") return { is: "waiting", why: why("UnknownState", "An odd state.") };
    return mine.state === "STOPPED"
      ? { is: "settled" }
      : { is: "step", step: { repeat: "safe", op: "stop", action: "stop" } };
  }
  return pass.supports("delete") !== "Supported"
    ? { is: "stalled", why: why("DeleteNotSupported", "There is no deletion.") }
    : { is: "step", step: { repeat: "safe", op: "delete", action: "delete" } };
}
