import { z } from "zod";

import { COMMIT } from "../kube/manifests.ts";
import type { Env } from "./env.ts";
import { call, extendedOn } from "./simulated-platform.ts";

const Made = z.object({ id: z.string() });

/** Creates a project, an environment and an application of one name on the platform, without the operator. */
export async function existing({ platform }: Pick<Env, "platform">, name: string, owner: "own" | "foreign" = "own") {
  const own = owner === "own";
  const authorization = `Token ${own ? platform.tokens.admin : platform.tokens.foreign}`;
  const organization = own ? platform.organizationId : platform.otherOrganizationId;
  const post = async (path: string, body: object): Promise<string> =>
    Made.parse((await call(platform, `POST ${path}`, body, authorization)).body).id;
  const { clusters } = platform.world();
  const cluster = [...clusters.values()].find(({ organizationId }) => organizationId === organization)?.id;
  const projectId = await post(`/organization/${organization}/project`, { name });
  const { extended } = extendedOn(platform);
  const environment = { name, mode: "STAGING", cluster_id: cluster };
  const environmentId = await post(`/project/${projectId}/environment`, environment);
  const applicationId = await post(`/environment/${environmentId}/application`, {
    name,
    git_repository: { url: "https://github.com/acme/web.git", branch: "main", ...(extended && { provider: "GITHUB" }) },
    build_mode: "DOCKER",
    ports: [],
    ...(extended && { healthchecks: {} }),
  });
  await call(platform, `POST /application/${applicationId}/deploy`, { git_commit_id: COMMIT }, authorization);
  return { projectId, environmentId, applicationId };
}
