/** The two kinds of connections. */
import type { Resource } from "../../api/resource.ts";
import type { ConnectionKind } from "../../engine/contract/connection.ts";
import type { Platform } from "../../platform/index.ts";
import { clusterPlatformConnection, platformConnection, type ConnectionMemory, type ConnectionSpec } from "./crd.ts";
import { probe } from "./probe.ts";
import { connectionSettings } from "./settings.ts";

interface Types {
  readonly spec: ConnectionSpec;
  readonly memory: ConnectionMemory;
  readonly api: Platform;
}

function connectionKind(resource: Resource<ConnectionSpec, ConnectionMemory>): ConnectionKind<Types> {
  return { resource, settings: (spec) => connectionSettings(spec, resource.scope), probe };
}

export const connection = connectionKind(platformConnection);
export const clusterConnection = connectionKind(clusterPlatformConnection);
