/** PlatformCatalog: what the platform offers, read from time to time into a ConfigMap. It never acts. */
import type { Ms, ReconcileContext, Report, Kind } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { platformCatalog, type CatalogMemory, type CatalogSpec } from "./crd.ts";
import { digestOf, documentsOf, MAX_BYTES, type Documents } from "./documents.ts";
import { readSections, type Section } from "./sections.ts";

interface Seen {
  readonly sections: readonly Section[];
  readonly digest: string;
}

/** The types of the kind. */
export interface CatalogTypes {
  readonly spec: CatalogSpec;
  readonly inputs: object;
  readonly observed: Seen;
  readonly memory: CatalogMemory;
  readonly action: never;
  readonly api: Platform;
}

type CatalogPass = ReconcileContext<CatalogTypes>;

/** Two catalogs, or a catalog and a binding, share an answer. Below the shortest interval. */
const MAX_AGE_MS = 30_000;
const MINUTE_MS = 60_000;

/**
 * A catalogue that cannot be loaded (500, 503) makes `observe` throw: the engine keeps status and Ready, and the
 * ConfigMap keeps its last good content.
 */
export const catalog: Kind<CatalogTypes> = {
  resource: platformCatalog,
  lives: false,
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
  observe: async ({ spec, requested }, api) => {
    const maxAgeMs = requested === undefined ? MAX_AGE_MS : 0;
    const sections = await readSections(spec, api, { maxAgeMs });
    return { sections, digest: await digestOf(sections) };
  },
  plan: ({ spec }) => ({ is: "settled", again: intervalMs(spec.interval) }),
  act: ({ do: nothing }) => Promise.resolve(nothing),
  trace: () => Promise.resolve({ is: "absent" }),
  report: (context, { sections, digest }) => {
    const documents = documentsOf(sections);
    const configMap = configMapName(context.name);
    return {
      ready: { reason: "Available", message: readyMessage(configMap, sections, documents) },
      conditions: [],
      status: {
        digest,
        changedAt: changedAt(context, digest),
        configMap,
        counts: Object.fromEntries(
          sections.flatMap(({ name, items, error }) => (error === undefined ? [[name, items.length]] : [])),
        ),
      },
      output: { name: configMap, data: documents.data },
    } satisfies Report;
  },
};

/** @param interval as the CRD's pattern has it: whole minutes or hours */
function intervalMs(interval: string): Ms {
  return Number.parseInt(interval, 10) * (interval.endsWith("h") ? 60 : 1) * MINUTE_MS;
}

function changedAt({ memory, now }: CatalogPass, digest: string): string {
  const known = memory.digest === digest ? memory.changedAt : undefined;
  return known ?? `${now.toISOString().slice(0, 19)}Z`;
}

const SUFFIX = "-catalog";
const MAX_NAME = 253;

/** The resource's name and a suffix, within what Kubernetes takes as a name. */
function configMapName(name: string): string {
  return `${name.slice(0, MAX_NAME - SUFFIX.length).replace(/[.-]+$/, "")}${SUFFIX}`;
}

function readyMessage(configMap: string, sections: readonly Section[], { omitted }: Documents): string {
  const unread = sections.flatMap(({ section, error }) =>
    error === undefined ? [] : [` ${section} cannot be read: ${error}.`],
  );
  const cut = omitted.map(
    ({ name, count }) =>
      ` ${count} entries of ${name}.json are left out: a ConfigMap holds ${MAX_BYTES / 1024} KiB. Spread the sections over several catalogues.`,
  );
  return `The catalogue is in ConfigMap "${configMap}".${[...unread, ...cut].join("")}`;
}
