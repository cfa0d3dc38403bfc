/** The sections of the catalog: how each is read and sorted. */
import type { ReadOptions } from "../../platform/client/caller.ts";
import { cleaned } from "../../platform/codec/text.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { CatalogSection, CatalogSpec } from "./crd.ts";

/** A section as it was read. */
export interface Section {
  readonly section: CatalogSection;
  /** Its name in the status and, with `.json`, in the ConfigMap. */
  readonly name: string;
  /** Undefined while this process has read none: what the ConfigMap has of it stays. */
  readonly items: readonly object[] | undefined;
  /** Why this connection cannot read it, if it cannot. */
  readonly error: string | undefined;
  /** Why the items are those of an earlier read, if they are. */
  readonly fault?: string | undefined;
}

type Read = (api: Platform, spec: CatalogSpec, options: ReadOptions) => Promise<readonly object[]>;

/**
 * The reads of the sections, the smallest first: where not everything fits into the ConfigMap, the last ones are cut.
 */
const READS: ReadonlyMap<CatalogSection, Read> = new Map<CatalogSection, Read>([
  [
    "DatabaseTypes",
    async (api, _spec, options) => sorted(await api.catalog.managedDatabaseTypes(options), ({ name }) => [name]),
  ],
  [
    "CloudProviders",
    async (api, _spec, options) =>
      sorted(await api.catalog.cloudProviders(options), ({ shortName, name }) => [shortName ?? name ?? ""]),
  ],
  [
    "Templates",
    async (api, { cluster }, options) => {
      const context = cluster && { clusterMode: cluster.mode, cloudProvider: cluster.provider };
      return sorted(await api.templates.list(context, options), ({ key, version }) => [key, version]);
    },
  ],
  [
    "GitRepositories",
    async (api, { gitTokenId }, options) => {
      const query = gitTokenId === undefined ? {} : { gitTokenId };
      return sorted(await api.organization.gitRepositories(query, options), ({ name, id }) => [name, id]);
    },
  ],
]);

/** The items of each section that were last read, for each connection and what selects them. */
const lastRead = new WeakMap<Platform, Map<string, readonly object[]>>();
/** For how many sections the last items of a connection are kept: a section may have megabytes. */
const MOST_SECTIONS = 8;

/** Failures of the connection, which reports them. */
const OF_CONNECTION: ReadonlySet<ApiError["failure"]["is"]> = new Set([
  "Unauthorized",
  "Intercepted",
  "RateLimited",
  "OverBudget",
  "Unreachable",
]);

/**
 * Reads what the spec includes, in a fixed order. A section whose read fails keeps its last items, as far as this
 * process knows them.
 * @throws ApiError for failures of the connection, and where every section fails
 */
export async function readSections(
  spec: CatalogSpec,
  api: Platform,
  options: ReadOptions,
): Promise<readonly Section[]> {
  const included = [...READS].filter(([section]) => spec.include.includes(section));
  const read = await Promise.all(
    included.map(async ([section, readSection]) => {
      const id = JSON.stringify([section, spec.cluster, spec.gitTokenId]);
      const name = `${section.charAt(0).toLowerCase()}${section.slice(1)}`;
      try {
        const items = await readSection(api, spec, options);
        keepItems(api, id, items);
        return { section: { section, name, items, error: undefined }, cause: undefined };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const last = lastRead.get(api)?.get(id);
        return unread({ section, name }, last, error);
      }
    }),
  );
  const [first] = read;
  if (first?.cause !== undefined && read.every(({ cause }) => cause !== undefined)) throw first.cause;
  return read.map(({ section }) => section);
}

/**
 * Returns a section that was not read, and the cause if the next poll may read it.
 * @throws ApiError for failures of the connection
 */
function unread(
  named: Pick<Section, "section" | "name">,
  last: Section["items"],
  error: ApiError,
): { readonly section: Section; readonly cause: ApiError | undefined } {
  const isRefused = isLasting(error, named.section);
  if (!isRefused && OF_CONNECTION.has(error.failure.is)) throw error;
  const why = cleaned(error.message, []);
  const cause = isRefused ? undefined : error;
  if (last === undefined && isRefused) return { section: { ...named, items: [], error: why }, cause };
  return { section: { ...named, items: last, error: undefined, fault: why }, cause };
}

function keepItems(api: Platform, id: string, items: readonly object[]): void {
  const kept = lastRead.get(api) ?? new Map<string, readonly object[]>();
  lastRead.set(api, kept);
  kept.delete(id); // to the end: the oldest goes first
  kept.set(id, items);
  const [oldest] = kept.keys();
  if (kept.size > MOST_SECTIONS && oldest !== undefined) kept.delete(oldest);
}

/**
 * Lasting failures, which the next poll would only repeat: the client refuses to send the request, or the platform does
 * not have the section.
 */
const LASTING: ReadonlySet<ApiError["failure"]["is"]> = new Set(["Refused", "NotFound", "NotSupported"]);

/**
 * Further lasting failures of the list of repositories. The list may need another token than all other operations, so
 * they say nothing about the connection.
 */
const REJECTED: ReadonlySet<ApiError["failure"]["is"]> = new Set(["Unauthorized", "Forbidden", "Invalid", "Conflict"]);

function isLasting({ failure }: ApiError, section: CatalogSection): boolean {
  return LASTING.has(failure.is) || (section === "GitRepositories" && REJECTED.has(failure.is));
}

/** Sorts by code units of the keys, so that the order is the same everywhere. */
function sorted<Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): readonly Item[] {
  const name = (item: Item): string => JSON.stringify(keysOf(item));
  return items.toSorted((left, right) => (name(left) < name(right) ? -1 : name(left) > name(right) ? 1 : 0));
}
