/** The interface between the engine and the kinds of connections (docs/architecture.md §3). */
import type { Resource } from "../../api/resource.ts";
import type { KindTypes } from "./context.ts";
import type { ConnectionSettings, Ms, Surface, StatusReason } from "./types.ts";

/** The types of a kind of connections. */
export type ConnectionTypes = Pick<KindTypes, "spec" | "memory" | "api">;

/** What the engine knows of a kind of connections. */
export interface ConnectionKind<K extends ConnectionTypes = ConnectionTypes> {
  readonly resource: Resource<K["spec"], K["memory"]>;
  /** Returns the settings of the connection that a spec describes. Pure. */
  settings(spec: K["spec"]): ConnectionSettings;
  /**
   * Reads the platform, to find out whether it can be used through the connection, and what it offers. Changes nothing.
   * @throws ApiError if the platform cannot be reached, does not accept the token, or fails
   */
  probe(spec: K["spec"], api: K["api"]): Promise<ProbeReport>;
}

/** What a probe has found on a platform that answers and accepts the token. */
export interface ProbeReport {
  /** Why the connection cannot be used nevertheless: a person is needed. */
  readonly refusal?: StatusReason | undefined;
  /** What the platform offers; absent where the probe did not decide that. */
  readonly surface?: Surface | undefined;
  /** Why the probe did not decide it, as a part of a sentence. */
  readonly undecided?: string | undefined;
  /** There is no project yet that would decide it: the first one does. */
  readonly lacksProject?: true | undefined;
  /** When to probe again, if that is not after the poll interval. */
  readonly again?: Ms | undefined;
}
