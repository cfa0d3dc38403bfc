/** The interface between the engine and the kinds of connections (docs/project/architecture.md §3). */
import type { Resource } from "../../api/resource.ts";
import type { KindTypes, Ms, StatusReason, Surface, Uuid } from "./kind.ts";

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

/** A connection's defaults for its objects: the members of spec.lifecycle, the poll interval, and spec.logs. */
export interface PolicyDefaults {
  readonly lifecycle: Readonly<Record<string, unknown>>;
  /** As a user writes it, e.g. "15m". */
  readonly pollInterval: string | undefined;
  /** How many of the last lines of the log of a failed application are kept. */
  readonly failureLogLines?: number | undefined;
}

/** The settings of a connection. */
export interface ConnectionSettings {
  readonly baseUrl: string;
  readonly pathPrefix: string;
  readonly organizationId: Uuid;
  readonly scheme: "Token" | "Bearer";
  readonly tokenSecret: { readonly name: string; readonly key: string };
  readonly requestsPerSecond: number | undefined;
  readonly burst: number | undefined;
  readonly surface: "Auto" | "Documented" | "Full";
  readonly allowUnverifiedIds: boolean;
  readonly allowedProjects: readonly Uuid[] | undefined;
  /** The labels of the Secrets that resources may take values from. undefined: of any labels. */
  readonly allowedSecrets?: Readonly<Record<string, string>> | undefined;
  /** The defaults of objects that set nothing themselves. */
  readonly defaults: PolicyDefaults;
  /** The connection's own proxy; undefined: the proxy settings that the operator was started with. */
  readonly proxy?: { readonly url: string; readonly secretName: string | undefined } | undefined;
  /** The certificate authorities that the connection trusts, from one of two sources; undefined: Node's own. */
  readonly caBundle?:
    | {
        readonly pem?: string | undefined;
        readonly configMap?: { readonly name: string; readonly key: string } | undefined;
      }
    | undefined;
  /** Only for a cluster-scoped connection: the namespaces that may use it. undefined: none. */
  readonly allowedNamespaces:
    | {
        readonly names: readonly string[];
        readonly matchLabels: Readonly<Record<string, string>> | undefined;
        /** Namespaces that may use only some projects, also where `names` or `matchLabels` select them as well. */
        readonly limited: readonly {
          readonly names: readonly string[];
          readonly matchLabels: Readonly<Record<string, string>> | undefined;
          readonly allowedProjects: readonly Uuid[];
        }[];
      }
    | undefined;
}

/** The settings that decide how the platform is reached. */
export type WaySettings = Pick<ConnectionSettings, "baseUrl" | "proxy" | "caBundle">;

/** The contents of Secrets and ConfigMaps that a connection to the platform needs. */
export interface NetworkAccess {
  /** "user:password" for the proxy. */
  readonly proxyCredentials?: string | undefined;
  /** Certificates of authorities in PEM, which replace Node's own. */
  readonly ca?: string | undefined;
}
