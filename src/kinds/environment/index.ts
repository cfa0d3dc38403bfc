/** PlatformEnvironment: exists, name, mode. The documented surface shows its existence and its record only once. */
import type { Known, OpenIntent, Trace, Uuid } from "../../engine/kind.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import { platformEnvironment, type EnvironmentMemory, type EnvironmentSpec } from "../../resources/environment.ts";
import { isProjectOfOrganization } from "../ancestry.ts";
import type { PlatformKind } from "../kind.ts";
import { baseline, landed } from "../names.ts";
import { driftOf, memoryOf, mineOf, recordOf, type Do, type EnvironmentPass, type Inputs, type Seen } from "./model.ts";
import { plan } from "./plan.ts";

/** Lists are shared by all environments of a project. */
const LIST_MAX_AGE_MS = 5_000;

export const environment: PlatformKind<EnvironmentSpec, Inputs, Seen, EnvironmentMemory, Do> = {
  resource: platformEnvironment,
  lives: true,
  claim: (spec) => spec.externalId,
  listable: (surface) => surface === "Full",
  needs: ({ projectRef }) => ({
    references: [
      { field: "spec.projectRef", kind: "PlatformProject", name: projectRef.name, externalId: projectRef.externalId },
    ],
    values: [],
    inputs: (resolved) => ({ projectId: resolved.id("spec.projectRef") }),
  }),

  observe: async (pass, api) => {
    const { projectId } = pass.inputs;
    const given = pass.spec.projectRef.externalId !== undefined && pass.proof !== "recorded";
    const projectIsOurs = !given || (await isProjectOfOrganization(api, projectId));
    const lists = projectIsOurs ? await listsOf(pass, projectId, api) : { counts: [], records: undefined };
    return { ...lists, projectIsOurs, serverNow: api.serverNow(), deleting: false };
  },

  plan,

  act: async ({ do: what }, pass, seen, api) => {
    if (what === "create") return await create(pass, seen, api);
    if (what === "delete") {
      if (pass.id !== undefined) await api.environments.delete(pass.id);
      return { seen: { ...seen, deleting: true }, memory: pass.memory };
    }
    const mine = mineOf(pass, seen);
    if (mine === undefined) return { seen, memory: pass.memory };
    const wanted = { name: pass.spec.name, ...(pass.spec.mode === undefined ? {} : { mode: pass.spec.mode }) };
    const next = (await api.environments.update(mine, wanted)) ?? { ...mine, ...wanted };
    const records = seen.records?.map((one) => (one.id === mine.id ? next : one));
    return { seen: { ...seen, records }, memory: memoryOf(next) };
  },

  trace: async (intent, pass, api) => {
    const { counts, records } = await listsOf(pass, intent.parentId ?? pass.inputs.projectId, api);
    const seen = { counts, records, projectIsOurs: true, serverNow: api.serverNow(), deleting: false };
    if (records !== undefined) {
      const found = landed(intent, records, pass.holderOf);
      return found.length === 0
        ? { is: "absent" }
        : { is: "landed", known: found.map((one) => ({ seen, memory: memoryOf(one), id: one.id })) };
    }
    return traceByIds(intent, pass, seen);
  },

  report: (pass, seen) => {
    const { name, mode, clusterId, createdAt } = recordOf(pass, seen);
    const count = seen.counts.find(({ id }) => id === pass.id);
    const exists = pass.id !== undefined && count !== undefined;
    return {
      ready: { reason: "Available", message: `Environment "${pass.spec.name}" exists on the platform.` },
      conditions: [],
      status: exists
        ? {
            name,
            mode,
            clusterId,
            createdAt,
            projectId: pass.inputs.projectId,
            serviceCount: count.serviceTotalNumber ?? 0,
          }
        : {},
      drift: driftOf(pass, seen),
    };
  },
};

async function listsOf(
  pass: EnvironmentPass,
  projectId: Uuid,
  api: Platform,
): Promise<Pick<Seen, "counts" | "records">> {
  const options = { maxAgeMs: pass.proof === "recorded" && pass.goal === "present" ? LIST_MAX_AGE_MS : 0 };
  try {
    const counts = await api.projects.environmentStats(projectId, options);
    return { counts, records: pass.surface === "Full" ? await api.environments.list(projectId, options) : undefined };
  } catch (error) {
    // Of a project that is gone, nothing is left to delete.
    const gone = error instanceof ApiError && error.failure.is === "NotFound" && pass.goal !== "present";
    if (gone) return { counts: [], records: undefined };
    throw error;
  }
}

async function create(pass: EnvironmentPass, seen: Seen, api: Platform): Promise<Known<Seen, EnvironmentMemory>> {
  const { name, mode, clusterRef } = pass.spec;
  const made = await api.environments.create(pass.inputs.projectId, {
    name,
    clusterId: clusterRef.externalId,
    ...(mode === undefined ? {} : { mode }),
  });
  const counts = [...seen.counts, { id: made.id, serviceTotalNumber: 0 }];
  return {
    seen: { ...seen, counts, records: seen.records && [...seen.records, made] },
    memory: memoryOf(made),
    id: made.id,
  };
}

/** Without names, the proof is that exactly one id is new since the intent and nobody else's (design §6). */
function traceByIds(intent: OpenIntent, pass: EnvironmentPass, seen: Seen): Trace<Seen, EnvironmentMemory> {
  const listed = baseline(intent.mark, "ids");
  const before: ReadonlySet<unknown> = new Set(Array.isArray(listed) ? listed : []);
  const fresh = seen.counts.filter(({ id }) => !before.has(id) && pass.holderOf(id) === undefined);
  if (fresh.length === 0) return { is: "absent" };
  return { is: "landed", known: fresh.map(({ id }) => ({ seen, memory: { name: intent.name }, id })) };
}
