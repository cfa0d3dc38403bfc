import { COMMIT } from "../kube/manifests.ts";
import { adminOf } from "../platform/client.ts";
import { applicationInput } from "../platform/env.ts";
import type { Env } from "./env.ts";
import { extendedOn } from "./simulated-platform.ts";

/** Creates a project, an environment and an application of one name on the platform, without the operator. */
export async function existing({ platform }: Pick<Env, "platform">, name: string, owner: "own" | "foreign" = "own") {
  const { otherOrganizationId, tokens } = platform;
  const foreign = { organizationId: otherOrganizationId, token: () => tokens.foreign };
  const client = adminOf(platform, owner === "own" ? {} : foreign);
  const organization = owner === "own" ? platform.organizationId : otherOrganizationId;
  const { clusters } = platform.world();
  const clusterId = [...clusters.values()].find(({ organizationId }) => organizationId === organization)?.id ?? "";
  const { id: projectId } = await client.projects.create({ name });
  const { id: environmentId } = await client.environments.create(projectId, { name, mode: "STAGING", clusterId });
  const input = { ...applicationInput(name), ports: [] };
  const { id: applicationId } = await client.applications.create(environmentId, input, extendedOn(platform));
  await client.applications.deploy(applicationId, COMMIT);
  await client.close();
  return { projectId, environmentId, applicationId };
}
