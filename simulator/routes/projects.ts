import { z } from "zod";

import { createdNow } from "../model/creation.ts";
import type { Project } from "../model/world.ts";
import { checkNameFree, checkOrganization, findProject, listed } from "../request/lookups.ts";
import { safe } from "../request/masks.ts";
import { showProject } from "../request/render.ts";
import { route, type Call } from "../request/route.ts";
import { Id, listOf, Name, Nothing, Project as ProjectBody, Text } from "../request/schemas.ts";
import { requestProjectDeletion } from "../request/service-actions.ts";

const OrganizationPath = z.object({ organizationId: Id });
const ProjectPath = z.object({ projectId: Id });
const Body = z.object({ name: Name, description: Text });

const siblings = (call: Call, organizationId: string): Project[] =>
  [...call.sim.world.projects.values()].filter((project) => project.organizationId === organizationId);

const KEEPS = safe("name", "description");

export const projectRoutes = [
  route({
    operation: "listProjects",
    input: { params: OrganizationPath },
    answer: listOf(ProjectBody),
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      const projects = listed(call, siblings(call, params.organizationId));
      return { body: { results: projects.map((project) => showProject(call.sim, project)) } };
    },
  }),
  route({
    operation: "createProject",
    keeps: KEEPS,
    input: { params: OrganizationPath, body: Body },
    answer: ProjectBody,
    handle({ params, body }, call) {
      checkOrganization(call, params.organizationId);
      checkNameFree(call, "project", body.name, siblings(call, params.organizationId));
      const project: Project = {
        ...createdNow(call.sim),
        id: call.sim.ids.uuid(),
        organizationId: params.organizationId,
        name: body.name,
        description: body.description ?? null,
        isBeingDeleted: false,
      };
      call.sim.world.projects.set(project.id, project);
      call.effect({ created: project.id });
      return { body: showProject(call.sim, project) };
    },
  }),
  route({
    operation: "getProject",
    input: { params: ProjectPath },
    answer: ProjectBody,
    handle: ({ params }, call) => ({ body: showProject(call.sim, findProject(call, params.projectId)) }),
  }),
  route({
    operation: "updateProject",
    keeps: KEEPS,
    input: { params: ProjectPath, body: Body },
    answer: ProjectBody,
    handle({ params, body }, call) {
      const project = findProject(call, params.projectId);
      checkNameFree(call, "project", body.name, siblings(call, project.organizationId), project.id);
      project.name = body.name;
      project.description = body.description ?? null;
      project.updatedAt = createdNow(call.sim).updatedAt;
      call.effect({ updated: project.id });
      return { body: showProject(call.sim, project) };
    },
  }),
  route({
    operation: "deleteProject",
    input: { params: ProjectPath },
    answer: Nothing,
    handle({ params }, call) {
      requestProjectDeletion(call, findProject(call, params.projectId));
      return {};
    },
  }),
];
