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
  widgetMemory,
  widgetSpec,
  type Action,
  type Inputs,
  type Observed,
  type WidgetMemory,
  type WidgetContext,
  type WidgetSpec,
} from "./widget-model.ts";
import { differs, planEnd, planNew, planOld, why } from "./widget-plan.ts";

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
    explode(spec, "claim");
    return spec.externalId;
  },
  listable: (supports) => supports("list") === "Supported",
  needs: (spec) => {
    explode(spec, "needs");
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
    tear(memory, "entries");
    return [
      ...(id === undefined || inputs?.entry === undefined ? [] : [entryOf(id, inputs.entry)]),
      ...(inputs?.into === undefined ? [] : [inputs.into]),
    ];
  },
  externalWrites: (memory) => {
    tear(memory, "imprints");
    return [];
  },
  observe: async (pass, api) => {
    explode(pass.spec, "observe");
    if (pass.supports("list") === "Supported") {
      const all = await api.list();
      return { all, mine: all.find(({ id }) => id === pass.id) };
    }
    return { all: undefined, mine: pass.id === undefined ? undefined : await api.get(pass.id) };
  },
  plan: (pass, observed) => {
    explode(pass.spec, "plan");
    if (pass.goal !== "present") return planEnd(pass, observed);
    return pass.id === undefined ? planNew(pass, observed) : planOld(pass, observed, pass.id);
  },
  act: async (step, pass, observed, api) => {
    explode(pass.spec, "act");
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
    explode(pass.spec, "report");
    return reportOf(pass, mine);
  },
};

function reportOf(pass: WidgetContext, mine: Remote | undefined): Report {
  return {
    ready: why("Available", "It is there."),
    conditions:
      mine === undefined
        ? []
        : [
            {
              type: "Deployed",
              status: mine.state === "ODD" ? "Unknown" : "True",
              reason: mine.state,
              message: "As the platform says.",
            },
          ],
    status: mine === undefined ? {} : { state: mine.state },
    drift:
      mine !== undefined && differs(pass.spec, mine)
        ? [{ path: "spec.note", desired: pass.spec.note ?? "", observed: mine.note }]
        : [],
    ...(pass.spec.output === undefined ? {} : { output: { name: pass.spec.output, data: {} } }),
    ...(pass.spec.outputSecret === undefined ? {} : secretOf(pass.spec.outputSecret, pass.memory.told)),
  };
}

/** A Secret that is written once; the object is reconciled again within a minute. */
function secretOf(name: string, written: string | undefined): Pick<Report, "secret" | "lookWithin"> {
  const secret = { name, data: { token: "s3cret-value" }, status: { told: name } };
  return { lookWithin: 60_000, ...(written === name ? {} : { secret }) };
}

function tear({ torn }: WidgetMemory, where: WidgetMemory["torn"]): void {
  if (torn === where) throw new TypeError(`the kind throws in ${where ?? ""}`);
}

function explode(spec: WidgetSpec, where: WidgetSpec["explode"]): void {
  if (spec.explode === where) throw new TypeError(`the kind throws in ${where ?? ""}`);
}

async function act(
  step: Step<Action>,
  pass: WidgetContext,
  observed: Observed,
  api: WidgetApi,
): Promise<ActionResult<Observed, WidgetMemory>> {
  const { memory, spec } = pass;
  const id = pass.id ?? "";
  switch (step.action) {
    case "create": {
      const mine = await api.create(spec.name, pass.inputs.parentId, spec.note ?? "");
      return mine.id === "" ? { observed, memory } : { observed: { ...observed, mine }, memory, id: mine.id };
    }
    case "deploy": {
      const mine = await api.deploy(id, spec.commit ?? "");
      const retry = pass.requested === undefined ? {} : { retry: pass.requested };
      return {
        observed: { ...observed, mine },
        memory: { ...memory, deployed: { commit: spec.commit ?? "", ...retry } },
      };
    }
    case "import":
      return {
        observed: { ...observed, mine: await api.import(id) },
        memory: { ...memory, written: pass.inputs.content },
      };
    case "update":
      return { observed: { ...observed, mine: await api.update(id, spec.note ?? "") }, memory };
    case "stop":
      return { observed: { ...observed, mine: await api.stop(id) }, memory };
    case "delete":
      await api.delete(id);
      return { observed: { ...observed, mine: undefined }, memory };
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
