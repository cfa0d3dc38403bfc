/** Runs a kind as the engine does, but with nothing between it and the platform: no Kubernetes, ledger or queue. */
import type {
  Fingerprint,
  Goal,
  Kind,
  ReconcileContext,
  Plan,
  IdentitySource,
  Report,
  ResolvedNeeds,
  Step,
  Why,
  KindTypes,
  RatedApi,
} from "../../../src/engine/contract/kind.ts";
import { sameJson } from "../../../src/engine/contract/status.ts";
import { fingerprintOf } from "../../../src/engine/references/values.ts";
import { buildStatus, type ReconcileResult } from "../../../src/engine/status/build.ts";
import type { Json, JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { ApiError, notExecuted } from "../../../src/platform/transport/errors.ts";
import { grouped, USUAL_POLICIES } from "./policies.ts";
import { supportsOn } from "./supports.ts";

/** What may differ from one pass to the next. */
export interface PassChange {
  /** A new generation of the spec, as a user writes it. */
  readonly spec?: JsonObject;
  readonly goal?: Goal;
  readonly requested?: string | undefined;
  readonly adoption?: ReconcileContext["policies"]["adoption"];
  readonly holderOf?: (id: string) => string | undefined;
  readonly allowUnverifiedIds?: boolean;
  readonly allowedProjects?: readonly string[] | undefined;
  readonly now?: Date;
  readonly started?: boolean;
  readonly deadline?: Date;
  readonly policies?: Partial<typeof USUAL_POLICIES>;
}

/** What the outside provides. */
export interface Surroundings {
  readonly surface: "Documented" | "Full";
  /** Ids behind references, by field. */
  readonly ids: Readonly<Record<string, string>>;
  /** Values of Secrets and ConfigMaps by field, and the version of where they come from. */
  values: Readonly<Record<string, string>>;
  /** Whole Secrets and ConfigMaps by field. */
  all?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  sources: string;
  /** The connection's token, with which fingerprints are keyed. */
  token: string;
}

export interface Ran {
  /** The operations that were sent, in order. */
  readonly ops: readonly string[];
  readonly is: "settled" | "waiting" | "stalled" | "unknown";
  readonly why: Why;
  readonly report: Report;
  readonly status: JsonObject;
  /** Whether the API server would have got a patch. */
  readonly wrote: boolean;
}

export interface Runner {
  /** One pass. @throws ApiError, with what the failing step left behind forgotten, as after a crash */
  run(change?: PassChange): Promise<Ran>;
  /** What a pass would see now. */
  pass(change?: PassChange): ReconcileContext<never>;
  /** Takes the status away, or edits it; the annotation of the id stays. */
  lose(status?: JsonObject): void;
  status(): JsonObject;
  id(): string | undefined;
}

const STEP_LIMIT = 8;

type AnyKind<Api extends RatedApi> = Kind<KindTypes & { readonly api: Api }>;

/** @param spec as a user writes it */
export function kindRunner<K extends KindTypes>(
  typed: Kind<K>,
  api: K["api"],
  around: Surroundings,
  spec: JsonObject,
): Runner {
  const kind = typed as unknown as AnyKind<K["api"]>;
  let object = newObject(kind.resource.kind, spec);
  let annotation: string | undefined;
  let elapsed = 0;

  const identityOf = (): { readonly id: string | undefined; readonly identitySource: IdentitySource | undefined } => {
    const { externalId: recorded } = (object.status ?? {}) as { readonly externalId?: string };
    const { externalId: given } = (object.spec ?? {}) as { readonly externalId?: string };
    if (recorded !== undefined) return { id: recorded, identitySource: "recorded" };
    if (given !== undefined) return { id: given, identitySource: "given" };
    return annotation === undefined
      ? { id: undefined, identitySource: undefined }
      : { id: annotation, identitySource: "claimed" };
  };

  const contextOf = (change: PassChange): AnyContext => {
    const parsed = kind.resource.spec.parse(object.spec);
    return grouped({
      name: "thing",
      spec: parsed,
      inputs: kind.needs(parsed).inputs(resolvedOf(around, object.metadata.generation ?? 1)),
      goal: change.goal ?? "present",
      now: change.now ?? new Date(Date.UTC(2026, 10, 21, 10) + elapsed),
      ...identityOf(),
      memory: kind.resource.memory.parse(object.status),
      supports: supportsOn(around.surface),
      generation: object.metadata.generation ?? 1,
      adoption: change.adoption ?? (kind.listable?.(supportsOn(around.surface)) ? "IfUniqueName" : "Never"),
      requested: change.requested,
      holderOf: change.holderOf ?? (() => undefined),
      allowUnverifiedIds: change.allowUnverifiedIds ?? change.allowedProjects === undefined,
      allowedProjects: change.allowedProjects,
      started: change.started ?? false,
      deadline: change.deadline,
      ...USUAL_POLICIES,
      ...change.policies,
    });
  };

  const apply = (change: PassChange): void => {
    elapsed += 1_234;
    if (change.spec === undefined) return;
    object = {
      ...object,
      spec: change.spec,
      metadata: { ...object.metadata, generation: object.metadata.generation! + 1 },
    };
  };

  /** Plans and acts until there is no step; what was observed is folded, as the engine does it. */
  const drive = async (first: AnyContext) => {
    const ops: string[] = [];
    let pass = first;
    let observed = await kind.observe(pass, api);
    for (let steps = 0; steps < STEP_LIMIT; steps += 1) {
      const plan: Plan = kind.plan(pass, observed);
      if (plan.is === "adopt") {
        annotation = plan.id;
        pass = known(pass, { id: plan.id, memory: pass.memory });
        ops.push("adopt");
        observed = await kind.observe(pass, api);
      } else if (plan.is === "step") {
        ops.push(plan.step.op);
        const done = await acted(kind, plan.step, pass, observed, api);
        observed = done.observed;
        annotation = done.id ?? annotation;
        pass = known(pass, done);
      } else if (plan.is === "forget") {
        // What the engine does of it is its own tests' matter: here the object begins anew.
        const stalled = { is: "stalled" as const, why: plan.why };
        ops.push("forget");
        annotation = undefined;
        object = { ...object, status: {} };
        const bare: AnyContext = {
          ...pass,
          id: undefined,
          identitySource: undefined,
          memory: kind.resource.memory.parse({}),
        };
        return { ops, plan: stalled, pass: bare, report: kind.report(bare, observed) };
      } else {
        return { ops, plan, pass, report: kind.report(pass, observed) };
      }
    }
    throw new Error(`no end after ${ops.join(", ")}`);
  };

  return {
    run: async (change = {}) => {
      apply(change);
      const { ops, plan, pass, ...driven } = await drive(contextOf(change));
      const report = published(driven.report);
      const why = plan.is === "settled" ? report.ready : plan.why;
      const ending = endingOf(plan.is, why);
      const status = composed({
        object,
        result: ending,
        report,
        memory: pass.memory,
        context: pass,
        handled: change.requested,
      });
      const wrote = !sameJson(status, object.status ?? {});
      object = { ...object, status };
      return { ops, is: plan.is, why, report, status, wrote };
    },
    pass: (change = {}) => {
      apply(change);
      return contextOf(change) as unknown as ReconcileContext<never>;
    },
    lose: (status = {}) => {
      object = { ...object, status };
    },
    status: () => (object.status ?? {}) as JsonObject,
    id: () => identityOf().id,
  };
}

function endingOf(is: Ran["is"], why: Why): ReconcileResult {
  if (is === "settled") return { is, why };
  return is === "unknown" ? { is, why, keepsReady: false } : { is, why, exchange: "ok" };
}

type AnyContext = ReconcileContext;

/** One request; what a task makes of a refused one is what is known then. */
async function acted<Api extends RatedApi>(
  kind: AnyKind<Api>,
  step: Step,
  pass: AnyContext,
  observed: unknown,
  api: Api,
) {
  try {
    return await kind.act(step, pass as ReconcileContext<never>, observed, api);
  } catch (error) {
    const refused = error instanceof ApiError && notExecuted(error.failure);
    const known = refused ? kind.oneShot?.refused(error, pass as ReconcileContext<never>, observed) : undefined;
    if (known === undefined) throw error;
    return known;
  }
}

/** Nothing keeps the Secret of a report from being written here. */
function published(report: Report): Report {
  return report.secret === undefined ? report : { ...report, status: { ...report.status, ...report.secret.status } };
}

/** The pass goes on with what a step has shown. */
function known(pass: AnyContext, { id, memory }: { readonly id?: string; readonly memory: JsonObject }): AnyContext {
  return id === undefined ? { ...pass, memory } : { ...pass, id, identitySource: "recorded", memory };
}

/** The status as it comes back from the API server. */
export function composed(outcome: {
  readonly object: KubeObject;
  readonly result: ReconcileResult;
  readonly report: Report;
  readonly memory: JsonObject;
  readonly context: Pick<ReconcileContext, "id" | "identitySource" | "now">;
  readonly handled: string | undefined;
}): JsonObject {
  const { context, ...rest } = outcome;
  const id = context.identitySource === "recorded" ? context.id : undefined;
  const status = buildStatus({
    ...rest,
    id,
    recordedIdentity: undefined,
    intent: undefined,
    policyStatus: undefined,
    now: context.now,
  });
  const stored = JSON.parse(JSON.stringify(status)) as JsonObject;
  // The engine compares with what is stored: a member that is undefined would differ from it for ever.
  if (!sameJson(status, stored)) throw new Error("the status is not the same once it is stored");
  return stored;
}

/** A custom resource that was just applied. */
export function newObject(kind: string, spec: JsonObject): KubeObject {
  const metadata = { name: "thing", namespace: "shop", uid: "uid-1", resourceVersion: "1", generation: 1 };
  return { apiVersion: "platform-operator.io/v1alpha1", kind, metadata, spec };
}

function resolvedOf({ ids, values, all = {}, sources, token }: Surroundings, generation: number): ResolvedNeeds {
  const found = <T>(table: Readonly<Record<string, T>>, field: string): T => {
    const value = table[field];
    if (value === undefined) throw new RangeError(`${field} was not asked for`);
    return value;
  };
  return {
    id: (field) => found(ids, field),
    idIfAny: (field) => ids[field],
    value: (field) => found(values, field),
    all: (field) => new Map(Object.entries(found(all, field))),
    fingerprint: (content: Json): Fingerprint => fingerprintOf(content, `${generation} ${sources}`, token),
  };
}
