import { isKube } from "./errors.ts";
import type { Json, JsonObject } from "./types.ts";

/** Deadlines of calls of the API server, in milliseconds (docs/project/architecture.md §10). */
export const DEADLINES = { call: 10_000, list: 30_000, lease: 5_000 } as const;

/**
 * The one field manager of every write: each further manager makes every write more expensive (docs/project/architecture.md
 * §10).
 */
export const FIELD_MANAGER = "platform-operator";

/** Query parameters; `undefined` leaves one out. */
export type KubeQuery = Readonly<Record<string, string | number | boolean | undefined>>;

export interface KubeRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Built by paths.ts, so that every segment is validated. */
  readonly path: string;
  readonly query?: KubeQuery;
  /** Every PATCH is a merge patch (RFC 7386). */
  readonly body?: Json;
  /** Asks for the metadata of the object alone (apimachinery: PartialObjectMetadata). */
  readonly metadataOnly?: true;
  /** For the whole exchange, body included; 10 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The interface to the API server for the rest of src/kube. */
export interface KubeClient {
  /**
   * Sends one request and returns the parsed answer (null when it is empty).
   * @throws KubeError for every answer that is not 2xx and for every failed exchange
   */
  request(request: KubeRequest): Promise<Json>;
  /**
   * Opens a watch and yields its bytes until the server ends it or `signal` fires.
   * @throws KubeError when the watch is refused or breaks off
   */
  stream(request: {
    readonly path: string;
    readonly query?: KubeQuery;
    readonly signal: AbortSignal;
    /** Called when the server has accepted the watch. */
    readonly opened?: () => void;
  }): AsyncIterable<Uint8Array>;
  /**
   * Returns how long the connection of watches that has been silent longest has sent nothing, in milliseconds; it ends
   * when it is dead. Undefined without a connection, and over HTTP/1.1, where the death of a connection is not noticed.
   */
  watchSilenceMs(): number | undefined;
}

/** Sends a GET. @returns undefined when the object does not exist */
export async function readOptional(
  client: Pick<KubeClient, "request">,
  path: string,
  options: Pick<KubeRequest, "timeoutMs" | "metadataOnly"> = {},
): Promise<Json | undefined> {
  try {
    return await client.request({ method: "GET", path, ...options });
  } catch (error) {
    if (isKube(error, "NotFound")) return undefined;
    throw error;
  }
}

/** The query of a write that the API server refuses if it does not know a field. */
export const STRICT = { fieldManager: FIELD_MANAGER, fieldValidation: "Strict" } as const;

/** @returns the request of a merge patch */
export function mergePatch(
  path: string,
  body: JsonObject,
  options: Pick<KubeRequest, "query" | "signal"> = {},
): KubeRequest {
  return { method: "PATCH", path, query: STRICT, body, ...options };
}

/** The source of the API server's address and the credentials. */
export type ConfigSource =
  | { readonly from: "file"; readonly path: string; readonly context?: string }
  | { readonly from: "cluster" }
  /** Like kubectl: $KUBECONFIG, ~/.kube/config, then the cluster in which the process runs. */
  | { readonly from: "default"; readonly context?: string };

/** Returns the source that the flags --kubeconfig and --context name; without them, that of kubectl. */
export function configSource(path: string | undefined, context: string | undefined): ConfigSource {
  const chosen = context === undefined ? {} : { context };
  return path === undefined ? { from: "default", ...chosen } : { from: "file", path, ...chosen };
}
