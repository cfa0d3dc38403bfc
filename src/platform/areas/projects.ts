import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { crud, read } from "../client/endpoints.ts";
import { list } from "../codec/decode.ts";
import { nonBlank, request, wellFormed } from "../codec/encode.ts";
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
const projectRequest = request({ name: nonBlank, description: wellFormed.optional() });
const environmentCount = record({ id: pathId, service_total_number: optional.number });

export type Project = z.output<typeof project>;
/** An environment of a project and the number of its services. */
export type EnvironmentCount = z.output<typeof environmentCount>;

const environmentCountList = list(environmentCount);

/** @returns the operations on projects; each function throws ApiError */
export function projects(caller: Caller) {
  return {
    /** The list of projects is the only documented list with names. */
    ...crud(caller, ["Project", "Projects"], project, { create: projectRequest, update: projectRequest }),
    /** The ids of a project's environments: no other documented read shows that an environment exists. */
    environmentStats: read(caller, "getProjectEnvironmentStats", environmentCountList),
  };
}
