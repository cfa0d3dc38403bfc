/** The declared settings of a database. Pure. */
import type { Database, DatabaseInput, DatabaseSettings } from "../../platform/areas/databases.ts";
import { settingsOf, type Settings } from "../service/settings.ts";
import { fitOptional } from "../shared/text.ts";
import type { DatabaseMemory, DatabaseSpec } from "./crd.ts";

/** Returns what the spec declares. Everything else is left alone. Type and mode cannot change. */
export function declaredSettings({ name, version, cpu, memory, storage }: DatabaseSpec): Settings {
  return settingsOf({
    "spec.name": name,
    "spec.version": version,
    "spec.cpu": cpu,
    "spec.memory": memory,
    "spec.storage": storage,
  });
}

/** Returns the platform's values of the same fields. */
export function observedSettings({ name, version, cpu, memory, storage }: Database): Settings {
  return settingsOf({
    "spec.name": name,
    "spec.version": version,
    "spec.cpu": cpu,
    "spec.memory": memory,
    "spec.storage": storage,
  });
}

/** Returns the body of a PUT. */
export function databaseSettings({ name, version, cpu, memory, storage }: DatabaseSpec): DatabaseSettings {
  return { name, version, cpu, memory, storage };
}

/** Returns the body of a create. */
export function databaseInput(spec: DatabaseSpec): DatabaseInput {
  return { ...databaseSettings(spec), type: spec.type, mode: spec.mode };
}

/** Returns what the status shows of the platform's record, and keeps where it is shown once. */
export function shownRecord(record: Partial<Database>): Partial<DatabaseMemory> {
  const shown = {
    name: fitOptional(record.name),
    type: fitOptional(record.type),
    version: fitOptional(record.version),
    mode: fitOptional(record.mode),
    createdAt: fitOptional(record.createdAt),
    updatedAt: fitOptional(record.updatedAt),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
