/** Reads or follows all custom resources that the user may see. */
import { TYPES } from "../../../config/kinds.ts";
import { isKube, KubeError } from "../../../kube/api/errors.ts";
import type { Clock, KubeObject, ResourceType } from "../../../kube/api/types.ts";
import { createCaches } from "../../../operator/caches.ts";
import { type ClusterClient, typeOf } from "../../base/cluster.ts";
import { CliError } from "../../base/exit.ts";

/** The objects to read. */
export interface Scope {
  readonly cluster: ClusterClient;
  /** "" for all namespaces. */
  readonly namespace: string;
  /** All kinds if absent. */
  readonly kinds?: readonly string[] | undefined;
  /** Receives a line for every kind that cannot be read. */
  readonly report: (line: string) => void;
}

/**
 * Lists the objects of all kinds of the scope. Kinds that the user may not list, or that the cluster does not know, are
 * left out.
 * @throws CliError, KubeError, also if no kind can be listed
 */
export async function listObjects({ cluster, namespace, kinds, report }: Scope): Promise<readonly KubeObject[]> {
  const types = typesOf(kinds);
  const lists = await Promise.all(types.map(({ kind }) => listKind(cluster, kind, namespace)));
  const [first] = lists;
  if (first instanceof Error && lists.every((list) => list instanceof Error)) throw first;
  for (const [index, list] of lists.entries()) {
    if (!(list instanceof Error)) continue;
    const why = list instanceof CliError ? "the cluster does not know them" : "you may not list them";
    report(`${types[index]?.plural} are omitted: ${why}.`);
  }
  return lists.flatMap((list) => (list instanceof Error ? [] : list));
}

/**
 * Lists one kind.
 * @returns the objects; a CliError if the cluster does not know the kind; a KubeError if the user may not list it
 * @throws any other KubeError
 */
export async function listKind(
  cluster: ClusterClient,
  kind: string,
  namespace: string,
): Promise<readonly KubeObject[] | CliError | KubeError> {
  try {
    return await cluster.list(kind, namespace);
  } catch (error) {
    if (error instanceof CliError || (error instanceof KubeError && error.failure === "Forbidden")) return error;
    throw error;
  }
}

/** Failures of a list that a retry does not resolve. */
const FINAL = ["Forbidden", "Unauthorized", "NotFound"] as const;

export type Following = ReturnType<typeof followObjects>;

/** Starts to watch the objects of the scope. @returns the store that the watch fills, and the state of the watch */
export function followObjects({ cluster, namespace, kinds, report, clock }: Scope & { readonly clock: Clock }) {
  const types = typesOf(kinds);
  const listed = new Set<string>();
  const unreadable = new Map<string, KubeError>();
  const synced = Promise.withResolvers<void>();
  const settle = (): void => {
    if (listed.size + unreadable.size === types.length) synced.resolve();
  };
  const { store, start, stop } = createCaches({
    client: cluster.client,
    clock,
    random: Math.random,
    types,
    namespaces: namespace === "" ? [] : [namespace],
    observer: {
      listed: (kind) => {
        unreadable.delete(kind);
        listed.add(kind);
        settle();
      },
      failed: (kind, error) => {
        if (listed.has(kind) || unreadable.has(kind)) return;
        const { plural } = typeOf(kind);
        if (!isKube(error, ...FINAL)) {
          report(`${plural} cannot be read now: ${error.message}; retrying.`);
          return;
        }
        report(`${plural} are omitted until they can be read: ${error.message}.`);
        unreadable.set(kind, error);
        settle();
      },
    },
    onListenerError: (error) => {
      throw error;
    },
    onSynced: () => {},
  });
  start();
  return {
    store,
    objects: () => types.flatMap(({ kind }) => store.list(kind)),
    /** Resolves when every kind is listed, or cannot be read. */
    synced: synced.promise,
    /** The kinds that cannot be read, e.g. because the user may not list them. */
    unreadable,
    /** Returns why no kind can be read; undefined if one can. */
    failure: () => (unreadable.size === types.length ? [...unreadable.values()][0] : undefined),
    stop,
  };
}

function typesOf(kinds: readonly string[] | undefined): readonly ResourceType[] {
  return TYPES.filter(({ kind }) => kinds === undefined || kinds.includes(kind));
}
