import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { created, json, list, maybe, nothing } from "../codec/decode.ts";
import type { Created } from "../codec/decode.ts";
import { folded, sent } from "../codec/encode.ts";
import { overlay } from "../codec/overlay.ts";
import { filled, request, wellFormed } from "../codec/request-schema.ts";
import { count, date, editable, parent, record, text, uuid } from "../codec/schema.ts";

const project = editable(
  record({ id: uuid, name: z.string(), description: text, created_at: date, updated_at: date, organization: parent }),
);
const projectRequest = request({ name: filled, description: wellFormed.optional() });
const environmentCount = record({ id: uuid, service_total_number: count });

export type Project = z.output<typeof project>;
/** An environment of a project and the number of its services. */
export type EnvironmentCount = z.output<typeof environmentCount>;

export type ProjectInput = z.input<typeof projectRequest>;

export interface Projects {
  /** All projects of the organization: the only list by name that the spec documents. */
  list(options?: ReadOptions): Promise<readonly Project[]>;
  create(input: ProjectInput): Promise<Created<Project>>;
  /** The environments of a project, by id only: the spec's one proof that an environment exists. */
  environmentStats(projectId: string, options?: ReadOptions): Promise<readonly EnvironmentCount[]>;
  /** Full surface. */
  get(projectId: string, options?: ReadOptions): Promise<Project>;
  /** Full surface. Members that `input` lacks stay as in `current`. Undefined when the answer has no body. */
  update(current: Project, input: ProjectInput): Promise<Project | undefined>;
  /** Full surface. */
  delete(projectId: string): Promise<void>;
}

const projectList = list(project);
const environmentCountList = list(environmentCount);

export function projects(caller: Caller): Projects {
  return {
    list: (options) => caller.read("listProjects", {}, { answer: projectList, ...options }),
    create: (input) =>
      caller.write(
        "createProject",
        {},
        { body: sent(projectRequest, input), answer: created(project, { name: input.name }) },
      ),
    environmentStats: (projectId, options) =>
      caller.read("getProjectEnvironmentStats", { projectId }, { answer: environmentCountList, ...options }),
    get: (projectId, options) => caller.read("getProject", { projectId }, { answer: json(project), ...options }),
    update: (current, input) =>
      caller.write(
        "updateProject",
        { projectId: current.id },
        { body: folded(sent(projectRequest, input), (body) => overlay(current.record, body)), answer: maybe(project) },
      ),
    delete: (projectId) => caller.write("deleteProject", { projectId }, { answer: nothing }),
  };
}
