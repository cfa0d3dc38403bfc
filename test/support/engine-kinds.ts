import { z } from "zod";

import {
  entryOf,
  sameContent,
  type Fingerprint,
  type Kind,
  type Known,
  type Pass,
  type Plan,
  type Report,
  type Step,
  type Trace,
  type Why,
} from "../../src/engine/kind.ts";
import { fingerprint, kept, livingStatus } from "../../src/resources/base/status.ts";
import { resource } from "./engine-links.ts";
import type { Remote, WidgetApi } from "./engine-world.ts";

const reference = z.object({ name: z.string().optional(), externalId: z.string().optional() });

const widgetSpec = z.object({
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
  /** Where the kind throws what no table knows. */
  explode: z.enum(["claim", "needs", "observe", "plan", "act", "report"]).optional(),
});

type WidgetSpec = z.output<typeof widgetSpec>;

const widgetMemory = z.object({
  deployed: kept(z.object({ commit: z.string(), retry: z.string().optional() })),
  written: kept(fingerprint),
  told: kept(z.string()),
  /** Where the kind throws what no table knows when it looks at the status. */
  torn: kept(z.enum(["entries", "imprints"])),
});

type WidgetMemory = z.output<typeof widgetMemory>;

interface Inputs {
  readonly parentId: string | undefined;
  readonly content: Fingerprint | undefined;
  readonly entry: string | undefined;
  readonly into: string | undefined;
}

interface Seen {
  readonly all: readonly Remote[] | undefined;
  readonly mine: Remote | undefined;
}

type Do = "create" | "update" | "import" | "deploy" | "stop" | "delete";
type WidgetPass = Pass<WidgetSpec, Inputs, WidgetMemory>;

/** A kind with everything that the engine knows of: parent, value, create, adoption, safe steps, an action, drift. */
export const widget: Kind<WidgetSpec, Inputs, Seen, WidgetMemory, Do, WidgetApi> = {
  resource: resource("Widget", widgetSpec, widgetMemory, livingStatus({})),
  lives: true,
  claim: (spec) => {
    explode(spec, "claim");
    return spec.externalId;
  },
  listable: (surface) => surface === "Full",
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
  entries: ({ id, memory, inputs }) => {
    tear(memory, "entries");
    return [
      ...(id === undefined || inputs?.entry === undefined ? [] : [entryOf(id, inputs.entry)]),
      ...(inputs?.into === undefined ? [] : [inputs.into]),
    ];
  },
  imprints: (memory) => {
    tear(memory, "imprints");
    return [];
  },
  observe: async (pass, api) => {
    explode(pass.spec, "observe");
    if (pass.surface === "Full") {
      const all = await api.list();
      return { all, mine: all.find(({ id }) => id === pass.id) };
    }
    return { all: undefined, mine: pass.id === undefined ? undefined : await api.get(pass.id) };
  },
  plan: (pass, seen) => {
    explode(pass.spec, "plan");
    if (pass.goal !== "present") return planEnd(pass, seen);
    return pass.id === undefined ? planNew(pass, seen) : planOld(pass, seen, pass.id);
  },
  act: async (step, pass, seen, api) => {
    explode(pass.spec, "act");
    return await act(step, pass, seen, api);
  },
  trace: async (intent, pass, api): Promise<Trace<Seen, WidgetMemory>> => {
    if (!intent.creates) {
      const mine = await api.get(intent.id ?? "");
      if (mine === undefined || mine.deploys === intent.mark) return { is: "absent" };
      const deployed = { commit: intent.commit ?? "" };
      return { is: "landed", known: [{ seen: { all: undefined, mine }, memory: { ...pass.memory, deployed } }] };
    }
    if (pass.surface === "Documented") {
      return { is: "unknowable", why: why("CreateResultUnknown", "Nobody can tell.") };
    }
    const all = await api.list();
    const known = all
      .filter(({ id, name }) => name === intent.name && pass.holderOf(id) === undefined)
      .map((mine) => ({ seen: { all, mine }, memory: pass.memory, id: mine.id }));
    return known.length === 0 ? { is: "absent" } : { is: "landed", known };
  },
  report: (pass, { mine }) => {
    explode(pass.spec, "report");
    return reportOf(pass, mine);
  },
};

function reportOf(pass: WidgetPass, mine: Remote | undefined): Report {
  return {
    ready: why("Available", "It is there."),
    conditions:
      mine === undefined
        ? []
        : [{ type: "Deployed", status: "True", reason: mine.state, message: "As the platform says." }],
    status: mine === undefined ? {} : { state: mine.state },
    drift:
      mine !== undefined && differs(pass.spec, mine)
        ? [{ path: "spec.note", desired: pass.spec.note ?? "", observed: mine.note }]
        : [],
    ...(pass.spec.output === undefined ? {} : { output: { name: pass.spec.output, data: {} } }),
    ...(pass.spec.outputSecret === undefined ? {} : secretOf(pass.spec.outputSecret, pass.memory.told)),
  };
}

/** One that is written once, and looked at again within a minute. */
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

function why(reason: Why["reason"], message: string): Why {
  return { reason, message };
}

function differs(spec: WidgetSpec, mine: Remote): boolean {
  return spec.note !== undefined && spec.note !== mine.note;
}

function planNew(pass: WidgetPass, seen: Seen): Plan<Do> {
  const [first, ...others] = (seen.all ?? []).filter(({ name }) => name === pass.spec.name);
  if (first !== undefined) {
    const holder = pass.holderOf(first.id);
    if (holder !== undefined) return { is: "stalled", why: why("AlreadyManaged", `It belongs to ${holder}.`) };
    if (others.length > 0) return { is: "stalled", why: why("DuplicateRemote", "There are several.") };
    return pass.adoption === "Never"
      ? { is: "stalled", why: why("NameConflict", "The name is taken.") }
      : { is: "adopt", id: first.id };
  }
  return {
    is: "step",
    step: {
      repeat: "once",
      op: "create",
      do: "create",
      creates: true,
      name: pass.spec.name,
      mark: null,
      why: why("Creating", "It is being created."),
    },
  };
}

function planOld(pass: WidgetPass, seen: Seen, id: string): Plan<Do> {
  const { spec, memory } = pass;
  const { mine } = seen;
  if (mine === undefined) return planGone(pass, seen);
  const holder = pass.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: why("AlreadyManaged", `It belongs to ${holder}.`) };
  if (pass.proof !== "recorded") return planProof(pass, mine, id);
  const others = writtenByOthers(pass);
  if (others !== undefined) return others;
  if (differs(spec, mine) && !pass.withheld.has("update")) return { is: "step", step: updateOf(pass, mine) };
  const unsent = pass.inputs.content !== undefined && !sameContent(pass.inputs.content, memory.written);
  if (unsent && !pass.withheld.has("import")) {
    return { is: "step", step: { repeat: "safe", op: "import", do: "import" } };
  }
  if (mine.state === "BUSY") return { is: "waiting", why: why("Deploying", "A deployment runs.") };
  if (mine.state === "ODD") return { is: "waiting", why: why("UnknownState", "An odd state.") };
  return planDeploy(pass, mine);
}

function writtenByOthers({ spec, holderOf }: WidgetPass): Plan<Do> | undefined {
  const writer = spec.into === undefined ? undefined : holderOf(spec.into);
  return writer === undefined ? undefined : { is: "stalled", why: why("AlreadyManaged", `${writer} writes it.`) };
}

function planGone({ onMissing }: WidgetPass, { all }: Seen): Plan<Do> {
  const is = all !== undefined && onMissing === "Recreate" ? "forget" : "stalled";
  return { is, why: why("ExternalResourceDeleted", "It is gone.") };
}

function updateOf({ spec }: WidgetPass, { note }: Remote): Step<Do> {
  const changes = [{ path: "spec.note", desired: spec.note ?? "", observed: note }];
  return { repeat: "safe", op: "update", do: "update", corrects: true, message: "Update the note.", changes };
}

function planDeploy({ spec, memory, requested, withheld }: WidgetPass, mine: Remote): Plan<Do> {
  const failed = mine.state === "FAILED";
  const retry = failed && requested !== undefined && requested !== memory.deployed?.retry;
  if (withheld.has("deploy")) return failed ? FAILED : { is: "settled" };
  if (spec.commit !== undefined && (memory.deployed?.commit !== spec.commit || retry)) {
    return {
      is: "step",
      step: {
        repeat: "once",
        op: "deploy",
        do: "deploy",
        creates: false,
        commit: spec.commit,
        mark: mine.deploys,
        why: why("Deploying", "A deployment runs."),
      },
    };
  }
  return failed ? FAILED : { is: "settled" };
}

const FAILED = { is: "stalled", why: why("DeploymentFailed", "It failed.") } as const;

function planProof(pass: WidgetPass, mine: Remote, id: string): Plan<Do> {
  if (pass.surface === "Documented" && !pass.allowUnverifiedIds) {
    return { is: "stalled", why: why("NotObservable", "Nothing shows where it belongs.") };
  }
  return pass.proof === "claimed" && mine.name !== pass.spec.name
    ? { is: "stalled", why: why("NameConflict", "It has another name.") }
    : { is: "adopt", id };
}

function planEnd(pass: WidgetPass, { mine }: Seen): Plan<Do> {
  if (mine === undefined) return { is: "settled" };
  if (pass.goal === "stopped") {
    return mine.state === "STOPPED"
      ? { is: "settled" }
      : { is: "step", step: { repeat: "safe", op: "stop", do: "stop" } };
  }
  return pass.surface === "Documented"
    ? { is: "stalled", why: why("DeleteNotSupported", "There is no deletion.") }
    : { is: "step", step: { repeat: "safe", op: "delete", do: "delete" } };
}

async function act(step: Step<Do>, pass: WidgetPass, seen: Seen, api: WidgetApi): Promise<Known<Seen, WidgetMemory>> {
  const { memory, spec } = pass;
  const id = pass.id ?? "";
  switch (step.do) {
    case "create": {
      const mine = await api.create(spec.name, pass.inputs.parentId, spec.note ?? "");
      return mine.id === "" ? { seen, memory } : { seen: { ...seen, mine }, memory, id: mine.id };
    }
    case "deploy": {
      const mine = await api.deploy(id, spec.commit ?? "");
      const retry = pass.requested === undefined ? {} : { retry: pass.requested };
      return { seen: { ...seen, mine }, memory: { ...memory, deployed: { commit: spec.commit ?? "", ...retry } } };
    }
    case "import":
      return { seen: { ...seen, mine: await api.import(id) }, memory: { ...memory, written: pass.inputs.content } };
    case "update":
      return { seen: { ...seen, mine: await api.update(id, spec.note ?? "") }, memory };
    case "stop":
      return { seen: { ...seen, mine: await api.stop(id) }, memory };
    case "delete":
      await api.delete(id);
      return { seen: { ...seen, mine: undefined }, memory };
    default:
      return step.do satisfies never;
  }
}
