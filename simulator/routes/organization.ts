import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { checkOrganization } from "../request/lookups.ts";
import { route } from "../request/route.ts";
import { Id, listOf, Nothing } from "../request/schemas.ts";

const OrganizationPath = z.object({ organizationId: Id });

export const organizationRoutes = [
  route({
    operation: "downloadInvoices",
    input: { params: OrganizationPath },
    answer: Nothing,
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      call.effect({ mailed: params.organizationId });
      return {};
    },
  }),
  route({
    operation: "listGithubRepositories",
    input: { params: OrganizationPath, query: z.object({ gitTokenId: Id.optional() }) },
    answer: listOf(
      z.object({
        id: z.string(),
        name: z.string(),
        url: z.string(),
        default_branch: z.string(),
        is_private: z.boolean(),
      }),
    ),
    handle({ params, query }, call) {
      checkOrganization(call, params.organizationId);
      const { gitTokenId: token } = query;
      const own = call.sim.world.repositories.filter((each) => each.organizationId === params.organizationId);
      if (token !== undefined && !own.some((each) => each.gitTokenId === token)) {
        throw new Problem(404, "No such git token");
      }
      const listed = own.filter((each) => token === undefined || each.gitTokenId === null || each.gitTokenId === token);
      const results = listed.map(({ id, name, url, defaultBranch, private: isPrivate }) => ({
        id,
        name,
        url,
        default_branch: defaultBranch,
        is_private: isPrivate,
      }));
      return { body: { results } };
    },
  }),
];
