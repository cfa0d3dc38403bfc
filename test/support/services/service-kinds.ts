import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../env/cluster.ts";
import { application, database } from "../kube/manifests.ts";

/** A kind of service, for tests that hold for each of them. */
export interface ServiceKind {
  readonly kind: string;
  readonly noun: string;
  readonly create: string;
  readonly deploy: string;
  readonly manifest: (name: string, parent: string, spec: JsonObject) => Manifest;
}

export const SERVICE_KINDS: readonly ServiceKind[] = [
  {
    kind: "PlatformApplication",
    noun: "application",
    create: "createApplication",
    deploy: "deployApplication",
    manifest: application,
  },
  {
    kind: "PlatformDatabase",
    noun: "database",
    create: "createDatabase",
    deploy: "deployDatabase",
    manifest: database,
  },
];
