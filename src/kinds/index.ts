import type { Resource } from "../api/resource.ts";
import type { ConnectionKind, ConnectionTypes } from "../engine/contract/connection.ts";
import type { Kind, KindTypes } from "../engine/contract/kind.ts";
import type { Platform } from "../platform/index.ts";
import { application } from "./application/index.ts";
import { createBinding } from "./binding/index.ts";
import { blueprint } from "./blueprint/index.ts";
import { catalog } from "./catalog/index.ts";
import { cluster } from "./cluster/index.ts";
import { clusterConnection, connection } from "./connection/index.ts";
import { database } from "./database/index.ts";
import { environment } from "./environment/index.ts";
import { project } from "./project/index.ts";
import { variableSet } from "./variable-set/index.ts";
import { webhook } from "./webhook/index.ts";

type AnyKind = Kind<KindTypes & { readonly api: Platform }>;
type AnyConnectionKind = ConnectionKind<ConnectionTypes & { readonly api: Platform }>;

/** The kinds of connections, which all others need. */
export const CONNECTIONS = {
  ClusterPlatformConnection: clusterConnection,
  PlatformConnection: connection,
} satisfies Readonly<Record<string, AnyConnectionKind>>;

const managedKinds = () =>
  ({
    PlatformCluster: cluster,
    PlatformProject: project,
    PlatformEnvironment: environment,
    PlatformApplication: application,
    PlatformDatabase: database,
    PlatformBlueprint: blueprint,
    PlatformVariableSet: variableSet,
    PlatformBinding: createBinding(),
    PlatformCatalog: catalog,
    PlatformWebhook: webhook,
  }) satisfies Readonly<Record<string, AnyKind>>;

export type ManagedKindName = keyof ReturnType<typeof managedKinds>;
export type KindName = keyof typeof CONNECTIONS | ManagedKindName;

/** Returns every kind of objects of the platform that the operator reconciles, parents first, with empty caches. */
export const createKinds: () => Readonly<Record<ManagedKindName, AnyKind>> = managedKinds;

/** Every custom resource, parents first. */
export const RESOURCES: readonly Resource[] = [...Object.values(CONNECTIONS), ...Object.values(createKinds())].map(
  ({ resource }) => resource,
);
