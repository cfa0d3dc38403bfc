/** Sends the requests that services share, and folds their answers into what was observed. */
import type { Kind, Known, ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { ReadOptions } from "../../platform/client/caller.ts";
import type { Platform } from "../../platform/index.ts";
import { takesMore } from "../shared/answers.ts";
import type { Listed } from "../shared/names.ts";
import { recordOf, type ServiceAction, type ServiceKind, type ServiceNames, type ServiceTypes } from "./model.ts";
import { accepted, begun } from "./progress.ts";
import { declaredSettings, memorable, observedSettings, revisionOf, writtenWith } from "./settings.ts";
import { baselineOf } from "./trace.ts";

/** The part of the platform's API for a kind of services, e.g. `api.applications`. Of a spec, it sends what it knows. */
export interface ServiceArea<Spec, Item> {
  create(environmentId: Uuid, spec: Spec, options: { readonly extended: boolean }): Promise<Item>;
  list(environmentId: Uuid, options?: ReadOptions): Promise<readonly Item[]>;
  get(id: Uuid): Promise<Item>;
  update(current: Item, spec: Spec): Promise<Item | undefined>;
  deploy(id: Uuid, commit: string): Promise<ServiceStatus | undefined>;
  stop(id: Uuid): Promise<ServiceStatus | undefined>;
  delete(id: Uuid): Promise<void>;
}

/** A kind of services that the operator changes, deploys, stops and deletes. */
export interface OperatedKind<K extends ServiceTypes, Item extends Listed> extends ServiceNames {
  readonly resource: Kind<K>["resource"];
  readonly settings: ServiceKind<K, Item>["settings"];
  readonly nothingSeen: K["observed"];
  area(api: Platform): ServiceArea<K["spec"], Item>;
  /** Returns the last deployment with what is known now. */
  followed(context: ReconcileContext<K>, seen: K["observed"]): K["memory"]["lastDeployment"];
  /** Returns what else is remembered of a service that was just created. */
  created?(context: ReconcileContext<K>, seen: K["observed"], made: Item, api: Platform): K["memory"] | undefined;
  /** Returns what a deployment that is started now is of. */
  deploymentOf?(context: ReconcileContext<K>): Partial<K["memory"]["lastDeployment"]>;
  /** Returns what else is known once a request to deploy or to stop was accepted. */
  ordered?(
    context: ReconcileContext<K>,
    what: "deploy" | "stop",
    answer: ServiceStatus | undefined,
  ): { readonly seen: Partial<K["observed"]>; readonly memory: Partial<K["memory"]> };
}

type Folded<K extends ServiceTypes> = Known<K["observed"], K["memory"]>;

/** @throws ApiError */
export async function act<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: OperatedKind<K, Item>,
  step: ServiceAction,
  context: ReconcileContext<K>,
  seen: K["observed"],
  api: Platform,
): Promise<Folded<K>> {
  switch (step.what) {
    case "create":
      return await create(kind, context, seen, api);
    case "update":
      return await update(kind, context, seen, api);
    case "deploy":
      return await deploy(kind, step, context, seen, api);
    case "stop":
      return await stop(kind, context, seen, api);
    case "delete": {
      const area = kind.area(api);
      await area.delete(context.id ?? "");
      return { seen: { ...seen, deleting: true }, memory: context.memory };
    }
    default:
      return step satisfies never;
  }
}

async function create<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: OperatedKind<K, Item>,
  context: ReconcileContext<K>,
  seen: K["observed"],
  api: Platform,
): Promise<Folded<K>> {
  const { inputs, spec } = context;
  const area = kind.area(api);
  const made = await area.create(inputs.environmentId, spec, { extended: takesMore(context) });
  // A service that was just created is READY until it is deployed (docs/architecture.md §9).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const written = { settings: memorable(declaredSettings(kind.settings, spec)), revision: 0 };
  const memory = { ...context.memory, written };
  return {
    seen: { ...seen, siblings: seen.siblings && [...seen.siblings, made], status },
    memory: kind.created?.({ ...context, memory }, seen, made, api) ?? memory,
    id: made.id,
  };
}

async function update<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: OperatedKind<K, Item>,
  context: ReconcileContext<K>,
  seen: K["observed"],
  api: Platform,
): Promise<Folded<K>> {
  const { spec, memory } = context;
  const area = kind.area(api);
  const record = recordOf<Item>(context, seen);
  if (record === undefined) return { seen, memory };
  const updated = await area.update(record, spec);
  const stored = updated && observedSettings(kind.settings, updated, spec);
  const sent = writtenWith(declaredSettings(kind.settings, spec), stored, revisionOf(memory));
  const next = updated ?? record;
  const siblings = seen.siblings?.map((one) => (one.id === record.id ? next : one));
  return {
    seen: { ...seen, siblings, own: seen.own && next, updated: true },
    memory: { ...pinned(kind, context, seen), written: { ...memory.written, ...sent } },
  };
}

async function deploy<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: OperatedKind<K, Item>,
  step: Extract<ServiceAction, { what: "deploy" }>,
  context: ReconcileContext<K>,
  seen: K["observed"],
  api: Platform,
): Promise<Folded<K>> {
  const { id = "", memory } = context;
  const area = kind.area(api);
  const answer = await area.deploy(id, step.commit ?? "");
  const more = kind.ordered?.(context, "deploy", answer);
  const lastDeployment = {
    ...kind.deploymentOf?.(context),
    ...(step.commit === undefined ? {} : { gitCommitId: step.commit }),
    settings: revisionOf(memory),
    ...begun(answer, seen.status, context.now),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
    ...(step.attempts === undefined ? {} : { attempts: step.attempts }),
  };
  return {
    seen: { ...accepted(seen, id, answer, "DEPLOYMENT_QUEUED"), ...more?.seen },
    memory: { ...memory, runState: "Running", stopping: undefined, lastDeployment, ...more?.memory },
  };
}

async function stop<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: OperatedKind<K, Item>,
  context: ReconcileContext<K>,
  seen: K["observed"],
  api: Platform,
): Promise<Folded<K>> {
  const { id = "" } = context;
  const area = kind.area(api);
  const answer = await area.stop(id);
  const more = kind.ordered?.(context, "stop", answer);
  const order = { runState: "Stopped", stopping: baselineOf(seen.status), ...more?.memory };
  return {
    seen: { ...accepted(seen, id, answer, "STOP_QUEUED"), ...more?.seen },
    memory: { ...pinned(kind, context, seen), ...order },
  };
}

/** Returns the memory before a write with what is deployed now, so that the write counts as a change to it. */
export function pinned<K extends ServiceTypes<Item>, Item extends Listed>(
  kind: Pick<OperatedKind<K, Item>, "followed">,
  context: ReconcileContext<K>,
  seen: K["observed"],
): K["memory"] {
  return { ...context.memory, lastDeployment: kind.followed(context, seen) };
}
