import type { Ids } from "../base/ids.ts";
import type { Time } from "../base/time.ts";
import { initialManifests } from "./blueprints.ts";
import { initialTemplates } from "./catalog-data.ts";
import { emptyWorld, type Cluster, type World } from "./world.ts";

/** A new world, with the ids that tests need. */
export interface SeededWorld {
  readonly world: World;
  readonly organizationId: string;
  readonly otherOrganizationId: string;
  readonly clusterIds: readonly string[];
  readonly credentialsId: string;
}

/** The git token of the organization; private repositories are listed with this token, or without any token. */
export const GIT_TOKEN_ID = "00000000-0000-4000-8000-0000000009d0";

/** @returns a world with two organizations, their clusters, a catalog and repositories, and no project. */
export function seedWorld(ids: Ids, time: Time, organizationId?: string): SeededWorld {
  const world = emptyWorld();
  const organization = { id: organizationId ?? ids.uuid(), name: "acme" };
  const other = { id: ids.uuid(), name: "someone-else" };
  for (const each of [organization, other]) world.organizations.set(each.id, each);

  const own = [
    newCluster(ids, time, organization.id, { name: "production", region: "eu-west-3" }),
    newCluster(ids, time, organization.id, {
      name: "edge",
      region: "europe-west9",
      cloudProvider: "GCP",
      mode: "CUSTOMER_MANAGED",
      nextVersion: null,
    }),
  ];
  const foreign = newCluster(ids, time, other.id, { name: "theirs", region: "us-east-1" });
  for (const cluster of [...own, foreign]) world.clusters.set(cluster.id, cluster);

  const credentials = {
    id: ids.uuid(),
    organizationId: organization.id,
    name: "build-account",
    accessKeyId: "SIMULATEDKEY0000",
    objectType: "AWS",
  };
  world.credentials.set(credentials.id, credentials);
  world.templates = initialTemplates(other.id);
  for (const manifest of initialManifests()) world.manifests.set(manifest.tag, manifest);
  world.repositories = ["web", "api"].map((name, index) => ({
    id: String(1000 + index),
    organizationId: organization.id,
    name: `acme/${name}`,
    url: `https://github.com/acme/${name}.git`,
    defaultBranch: "main",
    private: index > 0,
    gitTokenId: index > 0 ? GIT_TOKEN_ID : null,
  }));
  return {
    world,
    organizationId: organization.id,
    otherOrganizationId: other.id,
    clusterIds: own.map((cluster) => cluster.id),
    credentialsId: credentials.id,
  };
}

/** @returns a deployed cluster of an organization, with the members in `rest` */
export function newCluster(
  ids: Ids,
  time: Time,
  organizationId: string,
  rest: Partial<Cluster> & Pick<Cluster, "name" | "region">,
): Cluster {
  const now = time.wall().toISOString();
  return {
    id: ids.uuid(),
    organizationId,
    createdAt: now,
    updatedAt: now,
    createdAtMs: -Infinity,
    cloudProvider: "AWS",
    mode: "PLATFORM_MANAGED",
    state: "DEPLOYED",
    deployed: true,
    deploymentStatus: "UP_TO_DATE",
    reason: "UNSPECIFIED",
    version: "1.33",
    nextVersion: "1.34",
    executionId: null,
    lastDeploymentDate: now,
    lock: null,
    run: null,
    failNext: [],
    stuck: false,
    script: [],
    binding: null,
    ...rest,
  };
}
