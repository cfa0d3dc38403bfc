import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../env/cluster.ts";
import { application, environment, project } from "../kube/manifests.ts";

const APPLICATIONS = 8;
const DELETED = { lifecycle: { deletionPolicy: "Delete" } };

/** The number of resources of a shop. */
export const SHOP = APPLICATIONS + 2;

/** A project, its environment and applications, which are not deployed and are deleted with their resources. */
export function shop(env: Parameters<typeof environment>[0], name: string): readonly Manifest[] {
  return [
    project(name, DELETED),
    environment(env, name, name, DELETED),
    ...Array.from({ length: APPLICATIONS }, (_, index) =>
      application(`${name}-${index}`, name, { ...DELETED, deploy: undefined }),
    ),
  ];
}

/** A change of each kind that the full surface has an operation for. */
export const SHOP_CHANGES: Readonly<Record<string, JsonObject>> = {
  PlatformProject: { description: "another" },
  PlatformEnvironment: { mode: "STAGING" },
  PlatformApplication: { memory: 768 },
};
