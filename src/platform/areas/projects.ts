import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { create, read, update, write } from "../client/endpoints.ts";
import { json, list, nothing } from "../codec/decode.ts";
import { filled, request, wellFormed } from "../codec/encode.ts";
import { editable, optional, pathId, record } from "../codec/schema.ts";

const project = editable(
  record({
    id: pathId,
    name: z.string(),
    description: optional.text,
    created_at: optional.date,
    updated_at: optional.date,
    organization: optional.parent,
  }),
);
const projectRequest = request({ name: filled, description: wellFormed.optional() });
const environmentCount = record({ id: pathId, service_total_number: optional.number });

export type Project = z.output<typeof project>;
/** An environment of a project and the number of its services. */
export type EnvironmentCount = z.output<typeof environmentCount>;

const projectList = list(project);
const environmentCountList = list(environmentCount);

export function projects(caller: Caller) {
  return {
    /** All projects of the organization: the only list by name that the spec documents. */
    list: read(caller, "listProjects", projectList),
    create: create(caller, "createProject", project, projectRequest),
    /** The environments of a project, by id only: the spec's one proof that an environment exists. */
    environmentStats: read(caller, "getProjectEnvironmentStats", environmentCountList),
    get: read(caller, "getProject", json(project)),
    update: update(caller, "updateProject", project, projectRequest),
    delete: write(caller, "deleteProject", nothing),
  };
}
