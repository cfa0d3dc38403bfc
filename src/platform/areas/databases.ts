import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { crud, read, write } from "../client/endpoints.ts";
import { json, jsonOrEmpty } from "../codec/decode.ts";
import { nonBlank, request, wellFormed } from "../codec/encode.ts";
import { editable, optional, pathId, record } from "../codec/schema.ts";
import { serviceStatus } from "./service-status.ts";

const database = editable(
  record({
    id: pathId,
    name: z.string(),
    type: optional.text,
    version: optional.text,
    mode: optional.text,
    cpu: optional.number,
    memory: optional.number,
    storage: optional.number,
    instance_type: optional.text,
    accessibility: optional.text,
    disk_type: optional.text,
    created_at: optional.date,
    updated_at: optional.date,
    environment: optional.parent,
  }),
);

const part = z.string().min(1).max(4096);
/** How users of a database reach it. `password` is a secret. */
const credentials = record({ host: part, port: z.int(), login: part, password: part }).transform(
  ({ login, ...rest }) => ({ ...rest, username: login }),
);

const settings = {
  name: nonBlank,
  version: wellFormed.optional(),
  // In the platform's units, which the spec does not specify.
  cpu: z.number().optional(),
  memory: z.number().optional(),
  storage: z.number().optional(),
  // Beyond the specification; in the platform's own spelling.
  instanceType: wellFormed.optional(),
  accessibility: wellFormed.optional(),
  diskType: wellFormed.optional(),
};
const databaseSettings = request(settings);
/** Type and mode in the platform's own spelling, e.g. POSTGRESQL, MANAGED. */
const newDatabase = request({ ...settings, type: nonBlank, mode: nonBlank });

export type Database = z.output<typeof database>;
export type DatabaseInput = z.input<typeof newDatabase>;

/** @returns the operations on databases; each function throws ApiError */
export function databases(caller: Caller) {
  return {
    /** Type and mode cannot change. */
    ...crud(caller, ["Database", "Databases"], database, { create: newDatabase, update: databaseSettings }),
    deploy: write(caller, "deployDatabase", jsonOrEmpty(serviceStatus)),
    stop: write(caller, "stopDatabase", jsonOrEmpty(serviceStatus)),
    credentials: read(caller, "getDatabaseCredentials", json(credentials)),
  };
}
