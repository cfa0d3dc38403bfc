import { z } from "zod";

import type { Caller, ReadOptions } from "./caller.ts";
import { created, json, maybe, nothing } from "./decode.ts";
import type { Created } from "./decode.ts";
import { overlay } from "./overlay.ts";
import { count, date, editable, parent, record, results, text, uuid } from "./schema.ts";
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

export type Database = z.output<typeof database>;

export interface DatabaseSettings {
  readonly name: string;
  readonly version?: string;
  /** Platform units, which the spec does not name. */
  readonly cpu?: number;
  readonly memory?: number;
  readonly storage?: number;
}

export interface DatabaseInput extends DatabaseSettings {
  /** The platform's own spelling, e.g. POSTGRESQL. */
  readonly type: string;
  /** The platform's own spelling, e.g. MANAGED. */
  readonly mode: string;
}

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

export function databases(caller: Caller): Databases {
  return {
    create: (environmentId, { name, type, version, mode, cpu, memory, storage }) =>
      caller.write(
        "createDatabase",
        { environmentId },
        { body: { name, type, version, mode, cpu, memory, storage }, answer: created(database, { name }) },
      ),
    deploy: (databaseId) => caller.write("deployDatabase", { databaseId }, { answer: maybe(serviceStatus) }),
    stop: (databaseId) => caller.write("stopDatabase", { databaseId }, { answer: maybe(serviceStatus) }),
    list: (environmentId, options) =>
      caller.read("listDatabases", { environmentId }, { answer: json(results(database)), ...options }),
    get: (databaseId, options) => caller.read("getDatabase", { databaseId }, { answer: json(database), ...options }),
    update: (current, { name, version, cpu, memory, storage }) =>
      caller.write(
        "updateDatabase",
        { databaseId: current.id },
        { body: overlay(current.record, { name, version, cpu, memory, storage }), answer: maybe(database) },
      ),
    delete: (databaseId) => caller.write("deleteDatabase", { databaseId }, { answer: nothing }),
  };
}
