import { livingStatus } from "../../../src/api/status.ts";
import {
  type ActionResult,
  entryOf,
  type Kind,
  type Report,
  type Step,
  type Trace,
} from "../../../src/engine/contract/kind.ts";
import type { Remote, WidgetApi } from "./fake-platform.ts";
import { resource } from "./links.ts";
import {
  type Action,
  differs,
  type Inputs,
  type Observed,
  planEnd,
  planNew,
  planOld,
  type WidgetContext,
  widgetMemory,
  type WidgetMemory,
  widgetSpec,
  type WidgetSpec,
  why,
} from "./widget-plan.ts";

/** A kind with every feature of the engine: parent, value, create, adoption, safe steps, an action, drift. */
export const widget: Kind<{
  spec: WidgetSpec;
  inputs: Inputs;
  observed: Observed;
  memory: WidgetMemory;
  action: Action;
  api: WidgetApi;
}> = {
  resource: resource("Widget", widgetSpec, widgetMemory, livingStatus({})),
  externalLifecycle: true,
  claim: (spec) => {
    throwIn(spec.explode, "claim");
    return spec.externalId;
  },
  listable: (supports) => supports("list") === "Supported",
  needs: (spec) => {
    throwIn(spec.explode, "needs");
    const { parentRef, secret } = spec;
    return {
      references:
        parentRef === undefined
          ? []
          : [{ field: "spec.parentRef", kind: "Widget", name: parentRef.name, externalId: parentRef.externalId }],
      values: secret === undefined ? [] : [{ field: "spec.secret", from: "Secret", ...secret }],
      inputs: (resolved) => ({
        parentId: parentRef === undefined ? undefined : resolved.id("spec.parentRef"),
        content: secret === undefined ? undefined : resolved.fingerprint(resolved.value("spec.secret")),
        entry: spec.entry,
        into: spec.into,
      }),
    };
  },
  fieldOwnership: ({ id, memory, inputs }) => {
    throwIn(memory.torn, "entries");
    return [
      ...(id === undefined || inputs?.entry === undefined ? [] : [entryOf(id, inputs.entry)]),
      ...(inputs?.into === undefined ? [] : [inputs.into]),
    ];
  },
  externalWrites: (memory) => {
    throwIn(memory.torn, "imprints");
    return [];
  },
  observe: async (pass, api) => {
    throwIn(pass.spec.explode, "observe");
    if (pass.supports("list") === "Supported") {
      const all = await api.list();
      return { all, mine: all.find(({ id }) => id === pass.id) };
    }
    return { all: undefined, mine: pass.id === undefined ? undefined : await api.get(pass.id) };
  },
  plan: (pass, observed) => {
    throwIn(pass.spec.explode, "plan");
    if (pass.goal !== "present") return planEnd(pass, observed);
    return pass.id === undefined ? planNew(pass, observed) : planOld(pass, observed, pass.id);
  },
  act: async (step, pass, observed, api) => {
    throwIn(pass.spec.explode, "act");
    return await act(step, pass, observed, api);
  },
  trace: async (intent, pass, api): Promise<Trace<Observed, WidgetMemory>> => {
    if (!intent.creates) {
      const mine = await api.get(intent.id ?? "");
      if (mine === undefined || mine.deploys === intent.mark) return { is: "absent" };
      const deployed = { commit: intent.commit ?? "" };
      return { is: "landed", known: [{ observed: { all: undefined, mine }, memory: { ...pass.memory, deployed } }] };
    }
    if (pass.supports("list") !== "Supported") {
      return { is: "unknowable", why: why("CreateResultUnknown", "Nobody can tell.") };
    }
    const all = await api.list();
    const known = all
      .filter(({ id, name }) => name === intent.name && pass.records.holderOf(id) === undefined)
      .map((mine) => ({ observed: { all, mine }, memory: pass.memory, id: mine.id }));
    return known.length === 0 ? { is: "absent" } : { is: "landed", known };
  },
  report: (pass, { mine }) => {
    throwIn(pass.spec.explode, "report");
    return reportOf(pass, mine);
  },
};

function reportOf({ spec, memory }: WidgetContext, mine: Remote | undefined): Report {
  const status = mine?.state === "ODD" ? "Unknown" : "True";
  const deployed = { type: "Deployed", status, message: "As the platform says." } as const;
  const isOther = mine !== undefined && differs(spec, mine);
  return {
    ready: why("Available", "It is there."),
    conditions: mine === undefined ? [] : [{ ...deployed, reason: mine.state }],
    status: mine === undefined ? {} : { state: mine.state },
    drift: isOther ? [{ path: "spec.note", desired: spec.note ?? "", observed: mine.note }] : [],
    ...(spec.output === undefined ? {} : { output: { name: spec.output, data: {} } }),
    ...(spec.outputSecret === undefined ? {} : secretOf(spec.outputSecret, memory.told)),
  };
}

/** A Secret that is written once; the object is reconciled again within a minute. */
function secretOf(name: string, written: string | undefined): Pick<Report, "secret" | "lookWithin"> {
  const secret = { name, data: { token: "s3cret-value" }, status: { told: name } };
  return { lookWithin: 60_000, ...(written === name ? {} : { secret }) };
}

function throwIn(chosen: string | undefined, where: string): void {
  if (chosen === where) throw new TypeError(`the kind throws in ${where}`);
}

async function act(
  step: Step<Action>,
  pass: WidgetContext,
  observed: Observed,
  api: WidgetApi,
): Promise<ActionResult<Observed, WidgetMemory>> {
  const { memory, spec } = pass;
  const id = pass.id ?? "";
  const seen = (mine: Remote | undefined, more: Partial<WidgetMemory> = {}) => ({
    observed: { ...observed, mine },
    memory: { ...memory, ...more },
  });
  switch (step.action) {
    case "create": {
      const mine = await api.create(spec.name, pass.inputs.parentId, spec.note ?? "");
      return mine.id === "" ? { observed, memory } : { ...seen(mine), id: mine.id };
    }
    case "deploy": {
      const retry = pass.requested === undefined ? {} : { retry: pass.requested };
      return seen(await api.deploy(id, spec.commit ?? ""), { deployed: { commit: spec.commit ?? "", ...retry } });
    }
    case "import":
      return seen(await api.import(id), { written: pass.inputs.content });
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
}

/** A kind whose deployments have no observable outcome and may be repeated. */
export const silent: typeof widget = {
  ...widget,
  trace: async (intent, pass, api) =>
    intent.creates
      ? await widget.trace(intent, pass, api)
      : { is: "unknowable", why: why("NotObservable", "Nothing shows it."), repeatable: true },
};
