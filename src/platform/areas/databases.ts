import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { created, json, list, maybe, nothing } from "../codec/decode.ts";
import type { Created } from "../codec/decode.ts";
import { folded, sent } from "../codec/encode.ts";
import { overlay } from "../codec/overlay.ts";
import { filled, request, wellFormed } from "../codec/request-schema.ts";
import { count, date, editable, parent, record, text, uuid } from "../codec/schema.ts";
import { serviceStatus } from "./service-status.ts";
import type { ServiceStatus } from "./service-status.ts";

const database = editable(
  record({
    id: uuid,
    name: z.string(),
    type: text,
    version: text,
    mode: text,
    cpu: count,
    memory: count,
    storage: count,
    created_at: date,
    updated_at: date,
    environment: parent,
  }),
);

const settings = {
  name: filled,
  version: wellFormed.optional(),
  // Platform units, which the spec does not name.
  cpu: z.number().optional(),
  memory: z.number().optional(),
  storage: z.number().optional(),
};
const databaseSettings = request(settings);
/** Type and mode in the platform's own spelling, e.g. POSTGRESQL, MANAGED. */
const newDatabase = request({ ...settings, type: filled, mode: filled });

export type Database = z.output<typeof database>;
export type DatabaseSettings = z.input<typeof databaseSettings>;
export type DatabaseInput = z.input<typeof newDatabase>;

export interface Databases {
  create(environmentId: string, input: DatabaseInput): Promise<Created<Database>>;
  /** Undefined when the answer has no body. */
  deploy(databaseId: string): Promise<ServiceStatus | undefined>;
  /** Undefined when the answer has no body. */
  stop(databaseId: string): Promise<ServiceStatus | undefined>;
  /** Full surface: the databases of an environment. */
  list(environmentId: string, options?: ReadOptions): Promise<readonly Database[]>;
  /** Full surface. */
  get(databaseId: string, options?: ReadOptions): Promise<Database>;
  /** Full surface. Type and mode cannot change; members that `input` lacks stay as in `current`. */
  update(current: Database, input: DatabaseSettings): Promise<Database | undefined>;
  /** Full surface. */
  delete(databaseId: string): Promise<void>;
}

const databaseList = list(database);

export function databases(caller: Caller): Databases {
  return {
    create: (environmentId, input) =>
      caller.write(
        "createDatabase",
        { environmentId },
        { body: sent(newDatabase, input), answer: created(database, { name: input.name }) },
      ),
    deploy: (databaseId) => caller.write("deployDatabase", { databaseId }, { answer: maybe(serviceStatus) }),
    stop: (databaseId) => caller.write("stopDatabase", { databaseId }, { answer: maybe(serviceStatus) }),
    list: (environmentId, options) =>
      caller.read("listDatabases", { environmentId }, { answer: databaseList, ...options }),
    get: (databaseId, options) => caller.read("getDatabase", { databaseId }, { answer: json(database), ...options }),
    update: (current, input) =>
      caller.write(
        "updateDatabase",
        { databaseId: current.id },
        {
          body: folded(sent(databaseSettings, input), (body) => overlay(current.record, body)),
          answer: maybe(database),
        },
      ),
    delete: (databaseId) => caller.write("deleteDatabase", { databaseId }, { answer: nothing }),
  };
}
