/** Widget, the kind that the engine's tests reconcile: parent, value, create, adoption, safe steps, an action, drift. */
import { z } from "zod";

import { defineResource } from "../../../src/api/resource.ts";
import { managedStatus } from "../../../src/api/status.ts";
import type { Kind, Plan, ReconcileContext, Step, StatusReason } from "../../../src/engine/contract/kind.ts";
import type { Remote, WidgetApi } from "./fake-platform.ts";

const spec = z.object({
  name: z.string(),
  parentRef: z.object({ name: z.string().optional(), externalId: z.string().optional() }).optional(),
  externalId: z.string().optional(),
  note: z.string().optional(),
  commit: z.string().optional(),
  secret: z.object({ name: z.string(), key: z.string() }).optional(),
  output: z.string().optional(),
  outputSecret: z.string().optional(),
  /** Where the kind throws an unexpected error. */
  explode: z.enum(["claim", "needs", "observe", "plan", "act", "report"]).optional(),
});

const recorded = { deployed: z.object({ commit: z.string(), retry: z.string().optional() }) };

const resource = defineResource({
  kind: "Widget",
  shortNames: [],
  description: "A pretended kind.",
  spec,
  memory: {
    told: z.string(),
    /** The kind throws an unexpected error when it reads the status. */
    torn: z.boolean(),
  },
  recorded,
  status: managedStatus({}, recorded),
  columns: [],
});

interface Observed {
  readonly all: readonly Remote[] | undefined;
  readonly own: Remote | undefined;
}

type Action = "create" | "update" | "deploy" | "stop" | "delete";

interface WidgetTypes {
  readonly spec: z.output<typeof spec>;
  readonly inputs: { readonly parentId: string | undefined };
  readonly observed: Observed;
  readonly memory: z.output<typeof resource.memory>;
  readonly action: Action;
  readonly api: WidgetApi;
}

type WidgetContext = ReconcileContext<WidgetTypes>;

export const widget: Kind<WidgetTypes> = {
  resource,
  claim: ({ explode, externalId }) => {
    throwIn(explode, "claim");
    return externalId;
  },
  listable: (isFull) => isFull,
  needs: ({ explode, parentRef, secret }) => {
    throwIn(explode, "needs");
    const { name, externalId } = parentRef ?? {};
    return {
      references: parentRef === undefined ? [] : [{ field: "spec.parentRef", kind: "Widget", name, externalId }],
      values: secret === undefined ? [] : [{ field: "spec.secret", from: "Secret", ...secret }],
      inputs: (resolved) => ({ parentId: parentRef === undefined ? undefined : resolved.id("spec.parentRef") }),
    };
  },
  fieldClaims: ({ memory }) => {
    if (memory.torn === true) throw new TypeError("the kind throws in fieldClaims");
    return [];
  },
  observe: async (context, api) => {
    throwIn(context.spec.explode, "observe");
    if (context.isFull) {
      const all = await api.list();
      return { all, own: all.find(({ id }) => id === context.id) };
    }
    return { all: undefined, own: context.id === undefined ? undefined : await api.get(context.id) };
  },
  plan: (context, observed) => {
    throwIn(context.spec.explode, "plan");
    if (context.goal !== "present") return planEnd(context, observed);
    return context.id === undefined ? planNew(context, observed) : planOld(context, observed, context.id);
  },
  act: async (step, { spec, memory, inputs, requested, ...context }, observed, api) => {
    throwIn(spec.explode, "act");
    const id = context.id ?? "";
    const seen = (own: Remote | undefined) => ({ observed: { ...observed, own }, memory });
    switch (step.action) {
      case "create": {
        const own = await api.create(spec.name, inputs.parentId, spec.note ?? "");
        return own.id === "" ? { observed, memory } : { ...seen(own), id: own.id };
      }
      case "deploy": {
        const { commit = "" } = spec;
        const deployed = { commit, ...(requested !== undefined && { retry: requested }) };
        return { ...seen(await api.deploy(id, commit)), memory: { ...memory, deployed } };
      }
      case "update":
        return seen(await api.update(id, spec.note ?? ""));
      case "stop":
        return seen(await api.stop(id));
      case "delete":
        await api.delete(id);
        return seen(undefined);
      default:
        return step.action satisfies never;
    }
  },
  trace: async (intent, context, api) => {
    if (!intent.creates) {
      const own = await api.get(intent.id ?? "");
      if (own === undefined || own.deploys === intent.mark) return { is: "absent" };
      const deployed = { commit: intent.commit ?? "" };
      return { is: "landed", known: [{ observed: { all: undefined, own }, memory: { ...context.memory, deployed } }] };
    }
    if (!context.isFull) {
      return { is: "unknowable", why: why("CreateResultUnknown", "Nobody can tell.") };
    }
    const all = await api.list();
    const known = all
      .filter(({ id, name }) => name === intent.name && context.records.holderOf(id) === undefined)
      .map((own) => ({ observed: { all, own }, memory: context.memory, id: own.id }));
    return known.length === 0 ? { is: "absent" } : { is: "landed", known };
  },
  report: ({ spec, memory }, { own }) => {
    throwIn(spec.explode, "report");
    const { output, outputSecret } = spec;
    const secret = {
      name: outputSecret ?? "",
      data: { token: "s3cret-value" },
      status: () => ({ told: outputSecret }),
    };
    const status = own?.state === "ODD" ? "Unknown" : "True";
    const isOther = own !== undefined && differs(spec, own);
    return {
      ready: why("Available", "It is there."),
      conditions:
        own === undefined ? [] : [{ type: "Deployed", status, reason: own.state, message: "As the platform says." }],
      status: { state: own?.state },
      drift: isOther ? [{ path: "spec.note", desired: spec.note ?? "", observed: own.note }] : [],
      ...(output !== undefined && { output: { name: output, data: {} } }),
      ...(outputSecret !== undefined && { lookWithin: 60_000, ...(memory.told !== outputSecret && { secret }) }),
    };
  },
};

/** A kind whose deployments have no observable outcome and may be repeated. */
export const silent: typeof widget = {
  ...widget,
  trace: async (intent, context, api) =>
    intent.creates
      ? await widget.trace(intent, context, api)
      : { is: "unknowable", why: why("NotObservable", "Nothing shows it."), repeatable: true },
};

function throwIn(chosen: string | undefined, where: string): void {
  if (chosen === where) throw new TypeError(`the kind throws in ${where}`);
}

function why(reason: StatusReason["reason"], message: string): StatusReason {
  return { reason, message };
}

const stalled = (reason: StatusReason["reason"], message: string) =>
  ({ is: "stalled", why: why(reason, message) }) as const;
const step = (one: Step<Action>) => ({ is: "step", step: one }) as const;

const DEPLOYING = why("Deploying", "A deployment runs.");
const FAILED = stalled("DeploymentFailed", "It failed.");

function differs({ note }: WidgetTypes["spec"], own: Remote): boolean {
  return note !== undefined && note !== own.note;
}

function planNew(context: WidgetContext, observed: Observed): Plan<Action> {
  const [first, ...others] = (observed.all ?? []).filter(({ name }) => name === context.spec.name);
  if (first !== undefined) {
    const holder = context.records.holderOf(first.id);
    if (holder !== undefined) return stalled("AlreadyManaged", `It belongs to ${holder}.`);
    if (others.length > 0) return stalled("DuplicateRemote", "There are several.");
    return context.policies.adoption === "Never"
      ? stalled("NameConflict", "The name is taken.")
      : { is: "adopt", id: first.id };
  }
  const creating = why("Creating", "It is being created.");
  const create = { repeat: "once", op: "create", action: "create", creates: true, mark: null, why: creating } as const;
  return step({ ...create, name: context.spec.name });
}

function planGone({ policies }: WidgetContext, { all }: Observed): Plan<Action> {
  const isForgotten = all !== undefined && policies.onMissing === "Recreate";
  return { is: isForgotten ? "forget" : "stalled", why: why("ExternalResourceDeleted", "It is gone.") };
}

function planOld(context: WidgetContext, observed: Observed, id: string): Plan<Action> {
  const { own } = observed;
  if (own === undefined) return planGone(context, observed);
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return stalled("AlreadyManaged", `It belongs to ${holder}.`);
  if (context.identitySource !== "recorded") return planProof(context, own, id);
  if (differs(context.spec, own) && !context.policies.blockedOperations.has("update"))
    return step(updateOf(context.spec, own));
  if (own.state === "BUSY") return { is: "waiting", why: DEPLOYING };
  if (own.state === "ODD") return { is: "unknown", why: why("UnknownState", "An odd state."), condition: "Deployed" };
  return planDeploy(context, own);
}

function updateOf({ note = "" }: WidgetTypes["spec"], own: Remote): Step<Action> {
  const changes = [{ path: "spec.note", desired: note, observed: own.note }];
  return { repeat: "safe", op: "update", action: "update", corrects: true, message: "Update the note.", changes };
}

function planDeploy({ spec: { commit }, memory, requested, policies }: WidgetContext, own: Remote): Plan<Action> {
  const failed = own.state === "FAILED";
  const retry = failed && requested !== undefined && requested !== memory.deployed?.retry;
  const isDue = commit !== undefined && (memory.deployed?.commit !== commit || retry);
  if (!isDue || policies.blockedOperations.has("deploy")) return failed ? FAILED : { is: "settled" };
  const deploy = { repeat: "once", op: "deploy", action: "deploy", creates: false, why: DEPLOYING } as const;
  return step({ ...deploy, commit, mark: own.deploys });
}

/** Adopts the object of a given or claimed id if it is proven to be the right one. */
function planProof(context: WidgetContext, own: Remote, id: string): Plan<Action> {
  const { isFull, policies, identitySource } = context;
  const isProven = isFull || policies.allowUnverifiedIds || identitySource === "orphaned";
  if (!isProven) return stalled("NotObservable", "Nothing shows where it belongs.");
  return identitySource !== "given" && own.name !== context.spec.name
    ? stalled("NameConflict", "It has another name.")
    : { is: "adopt", id };
}

function planEnd(context: WidgetContext, { own }: Observed): Plan<Action> {
  if (own === undefined) return { is: "settled" };
  if (context.goal === "stopped") {
    if (own.state === "ODD") return { is: "waiting", why: why("UnknownState", "An odd state.") };
    return own.state === "STOPPED" ? { is: "settled" } : step({ repeat: "safe", op: "stop", action: "stop" });
  }
  return context.isFull
    ? step({ repeat: "safe", op: "delete", action: "delete" })
    : stalled("DeleteNotSupported", "There is no deletion.");
}
