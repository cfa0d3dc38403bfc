/** PlatformEnvironment: exists, name, mode. The documented surface shows its existence and its record only once. */
import type { Known, OpenIntent, Trace, Kind } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { isProjectOfOrganization } from "../shared/ancestry.ts";
import { idsBefore, landed, notCreated } from "../shared/create-trace.ts";
import { clusterNeed } from "../shared/limits.ts";
import { takesMore } from "../shared/offered.ts";
import { countOf } from "../shared/text.ts";
import { platformEnvironment, type EnvironmentMemory } from "./crd.ts";
import {
  driftOf,
  memoryOf,
  mineOf,
  recordOf,
  type EnvironmentPass,
  type Seen,
  type EnvironmentTypes,
} from "./model.ts";
import { listsOf, NO_PROJECT, withMine } from "./observe.ts";
import { plan } from "./plan.ts";

export const environment: Kind<EnvironmentTypes> = {
  resource: platformEnvironment,
  lives: true,
  claim: (spec) => spec.externalId,
  operations: () => ({ update: ["listEnvironments", "updateEnvironment"], delete: ["deleteEnvironment"] }),
  listable: (supports) => supports("listEnvironments") !== "Unsupported",
  needs: ({ projectRef, clusterRef }) => ({
    references: [
      { field: "spec.projectRef", kind: "PlatformProject", name: projectRef.name, externalId: projectRef.externalId },
      clusterNeed(clusterRef),
    ],
    values: [],
    inputs: (resolved) => ({ projectId: resolved.id("spec.projectRef"), clusterId: resolved.id("spec.clusterRef") }),
  }),

  observe: async (context, api) => {
    const { projectId } = context.inputs;
    const given = context.spec.projectRef.externalId !== undefined && context.proof !== "recorded";
    const projectIsOurs = !given || (await isProjectOfOrganization(api, projectId));
    const lists = projectIsOurs ? await listsOf(context, projectId, api) : NO_PROJECT;
    return {
      ...(await withMine(context, projectId, lists, api)),
      projectIsOurs,
      serverNow: api.serverNow(),
      updated: false,
      deleting: false,
    };
  },

  shows: (_step, context, { counts }) => counts.some(({ id }) => id === context.id),
  plan,

  act: async ({ do: what }, context, seen, api) => {
    if (what === "create") return await create(context, seen, api);
    if (what === "delete") {
      if (context.id !== undefined) await api.environments.delete(context.id);
      return { seen: { ...seen, deleting: true }, memory: context.memory };
    }
    const mine = mineOf(context, seen);
    if (mine === undefined) return { seen, memory: context.memory };
    const wanted = { name: context.spec.name, ...(context.spec.mode === undefined ? {} : { mode: context.spec.mode }) };
    const next = (await api.environments.update(mine, wanted)) ?? { ...mine, ...wanted };
    const records = seen.records?.map((one) => (one.id === mine.id ? next : one));
    return { seen: { ...seen, records, updated: true }, memory: memoryOf(next) };
  },

  trace: async (intent, context, api) => {
    const lists = await listsOf(context, intent.parentId ?? context.inputs.projectId, api);
    const { records } = lists;
    const serverNow = api.serverNow();
    const seen = {
      ...lists,
      presence: "Present" as const,
      projectIsOurs: true,
      serverNow,
      updated: false,
      deleting: false,
    };
    if (records !== undefined) {
      const before = idsBefore(intent);
      const found = landed(
        intent,
        records.filter(({ id }) => !before.has(id)),
        context.holderOf,
      );
      return found.length === 0
        ? notCreated(
            intent,
            records,
            records.map(({ id }) => id),
          )
        : { is: "landed", known: found.map((one) => ({ seen, memory: memoryOf(one), id: one.id })) };
    }
    return traceByIds(intent, context, seen);
  },

  report: (context, seen) => {
    const { name, mode, clusterId, createdAt } = recordOf(context, seen);
    const count = seen.counts.find(({ id }) => id === context.id);
    // What is not this resource's, or not yet, is not reported.
    const exists = context.proof === "recorded" && count !== undefined;
    return {
      ready: { reason: "Available", message: `Environment "${context.spec.name}" exists on the platform.` },
      conditions: [],
      status: exists
        ? {
            name,
            mode,
            clusterId,
            createdAt,
            projectId: context.inputs.projectId,
            // None in a new environment: they are counted at the next reconcile.
            serviceCount: countOf(count.serviceTotalNumber) || undefined,
          }
        : {},
      drift: exists ? driftOf(context, seen) : [],
    };
  },
};

async function create(context: EnvironmentPass, seen: Seen, api: Platform): Promise<Known<Seen, EnvironmentMemory>> {
  const { name, mode } = context.spec;
  const wanted = { name, clusterId: context.inputs.clusterId, ...(mode === undefined ? {} : { mode }) };
  const made = await api.environments.create(context.inputs.projectId, wanted, { extended: takesMore(context) });
  const counts = [...seen.counts, { id: made.id, serviceTotalNumber: 0 }];
  return {
    seen: { ...seen, counts, records: seen.records && [...seen.records, made] },
    memory: memoryOf(made),
    id: made.id,
  };
}

/**
 * Without names, a create has landed where exactly one id is new since the intent and nobody else's
 * (docs/architecture.md §6).
 */
function traceByIds(intent: OpenIntent, context: EnvironmentPass, seen: Seen): Trace<Seen, EnvironmentMemory> {
  const before = idsBefore(intent);
  const fresh = seen.counts.filter(({ id }) => !before.has(id) && context.holderOf(id) === undefined);
  if (fresh.length === 0)
    return notCreated(
      intent,
      seen.counts,
      seen.counts.map(({ id }) => id),
    );
  return { is: "landed", known: fresh.map(({ id }) => ({ seen, memory: { name: intent.name }, id })) };
}
