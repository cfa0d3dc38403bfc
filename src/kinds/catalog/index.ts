/** PlatformCatalog: what the platform offers, read periodically into a ConfigMap. It writes nothing to the platform. */
import { timeText } from "../../api/status.ts";
import type { Kind, Ms, ReconcileContext, Report } from "../../engine/contract/kind.ts";
import { stringifyJson } from "../../platform/codec/json.ts";
import { sha256 } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import { platformCatalog } from "./crd.ts";
import { readSections, type Section } from "./sections.ts";

interface Observed {
  readonly sections: readonly Section[];
  readonly digest: string;
}

/** The types of the kind. */
export type CatalogTypes = TypesOf<typeof platformCatalog, { observed: Observed; action: never }>;

type CatalogContext = ReconcileContext<CatalogTypes>;

/** How old a shared answer may be: two catalogs, or a catalog and a binding, share one. Below the minimum interval. */
const MAX_AGE_MS = 30_000;
const MINUTE_MS = 60_000;

/** How soon a section is read again of which this process has read nothing. In milliseconds. */
const UNREAD_AGAIN_MS = MINUTE_MS;

/**
 * A catalog of which nothing can be loaded (500, 503) makes `observe` throw: the engine keeps status and Ready, and the
 * ConfigMap keeps its last good content. A single section that fails keeps its content, and the others go on.
 */
export const catalog: Kind<CatalogTypes> = {
  resource: platformCatalog,
  claim: () => undefined,
  needs: () => ({ references: [], values: [], inputs: () => ({}) }),
  observe: async ({ spec, requested }, api) => {
    const maxAgeMs = requested === undefined ? MAX_AGE_MS : 0;
    const sections = await readSections(spec, api, { maxAgeMs });
    return { sections, digest: await digestOf(sections) };
  },
  plan: ({ spec }, { sections }) => {
    const again = sections.some(({ items }) => items === undefined) ? UNREAD_AGAIN_MS : Infinity;
    return { is: "settled", again: Math.min(again, intervalMs(spec.interval)) };
  },
  act: ({ action: nothing }) => Promise.resolve(nothing),
  trace: () => Promise.resolve({ is: "absent" }),
  report: (context, { sections, digest: read }) => {
    const documents = documentsOf(sections);
    // While a section is not known, it is not known either whether the whole has changed.
    const digest = sections.some(({ items }) => items === undefined) ? context.memory.digest : read;
    const configMap = configMapName(context.resource.name);
    return {
      ready: { reason: "Available", message: readyMessage(configMap, sections, documents) },
      conditions: [],
      status: {
        digest,
        changedAt: changedAt(context, digest),
        configMap,
        counts: Object.fromEntries(
          sections.flatMap(({ name, items, error }) =>
            items === undefined || error !== undefined ? [] : [[name, items.length]],
          ),
        ),
      },
      output: {
        name: configMap,
        data: documents.data,
        keeps: sections.flatMap(({ name, items }) => (items === undefined ? [fileOf(name)] : [])),
        metadata: context.spec.configMap?.metadata,
      },
    } satisfies Report;
  },
};

/** Returns the interval in milliseconds. @param interval whole minutes or hours, as the CRD's pattern requires */
function intervalMs(interval: string): Ms {
  return Number.parseInt(interval, 10) * (interval.endsWith("h") ? 60 : 1) * MINUTE_MS;
}

function changedAt({ memory, now }: CatalogContext, digest: string | undefined): string | undefined {
  if (digest === undefined) return undefined;
  const known = memory.digest === digest ? memory.changedAt : undefined;
  return known ?? timeText(now);
}

const SUFFIX = "-catalog";
const MAX_NAME = 253;

/** Returns the resource's name with a suffix, cut to the maximum length of a name in Kubernetes. */
function configMapName(name: string): string {
  return `${name.slice(0, MAX_NAME - SUFFIX.length).replace(/[.-]+$/, "")}${SUFFIX}`;
}

function readyMessage(configMap: string, sections: readonly Section[], { omitted }: Documents): string {
  const unread = sections.flatMap(({ section, items, error, fault }) => {
    const how = items === undefined ? "was not read, and keeps what is there" : "keeps its last content";
    return [
      ...(error === undefined ? [] : [` ${section} cannot be read: ${error.replace(/\.$/, "")}.`]),
      ...(fault === undefined ? [] : [` ${section} ${how}: ${fault.replace(/\.$/, "")}.`]),
    ];
  });
  const cut = omitted.map(
    ({ name, count }) =>
      ` ${count} entries of ${name}.json are left out: the operator writes at most ${MAX_BYTES / 1024} KiB into a ConfigMap. Spread the sections over several catalogs.`,
  );
  return `The catalog is in ConfigMap "${configMap}".${[...unread, ...cut].join("")}`;
}

type Documents = ReturnType<typeof documentsOf>;

/** The largest size of the data of a ConfigMap that the operator writes, in bytes. The API server accepts 1 MiB. */
export const MAX_BYTES = 900 * 1024;

/** The size of a document around its items. */
const FRAME_BYTES = 512;

const encoder = new TextEncoder();

/**
 * Returns one document per section: `{"results": [...]}`, like the platform's own lists, with one item per line.
 * `omitted` in the result and in a document counts the items that do not fit; `error` in the document of a section that
 * cannot be read is the reason.
 * @param maxBytes the largest size of all documents together, in UTF-8
 */
export function documentsOf(sections: readonly Section[], maxBytes: number = MAX_BYTES) {
  let room = maxBytes;
  const documents = sections.flatMap(({ name, items, error }) => {
    if (items === undefined) return [];
    room -= FRAME_BYTES + (error === undefined ? 0 : encoder.encode(error).length * 2);
    const lines: string[] = [];
    for (const item of items) {
      const line = stringifyJson(item);
      // Two more for the comma and the line break.
      const size = encoder.encode(line).length + 2;
      if (size > room) break;
      room -= size;
      lines.push(line);
    }
    const count = items.length - lines.length;
    return [{ name, text: documentText(lines, count, error), count }];
  });
  return {
    data: Object.fromEntries(documents.map(({ name, text }) => [fileOf(name), text])),
    omitted: documents.filter(({ count }) => count > 0).map(({ name, count }) => ({ name, count })),
  };
}

function fileOf(name: string): string {
  return `${name}.json`;
}

function documentText(lines: readonly string[], omitted: number, error: string | undefined): string {
  const notes = { ...(omitted > 0 && { omitted }), ...(error !== undefined && { error }) };
  const noted = Object.entries(notes).map(([name, note]) => `${JSON.stringify(name)}:${JSON.stringify(note)},\n`);
  return `{\n${noted.join("")}"results":[\n${lines.join(",\n")}\n]\n}\n`;
}

/** Returns the SHA-256 of everything that was read, in hex, whether or not it fits into the ConfigMap. */
export async function digestOf(sections: readonly Section[]): Promise<string> {
  return await sha256(stringifyJson(sections.map(({ fault: _fault, ...content }) => content)));
}
