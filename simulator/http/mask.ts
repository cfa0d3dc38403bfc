import { z } from "zod";

import { parseJson } from "../base/json.ts";
import type { BodyOperationId, OperationId } from "../base/operations.ts";
import type { World } from "../model/world.ts";

/** What a secret value is shown as. */
const masked = "***";

const Variables = z.array(z.looseObject({ is_secret: z.boolean().optional() }));
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What the journal may keep of a member. */
type Mask = (value: unknown, world: World) => unknown;

/** The masks of the members of a body that hold no secret, or of which a mask hides what is one. */
type Masks = Readonly<Record<string, Mask>>;

/** Declares members that never hold a secret. */
const safe = (...members: readonly string[]): Masks =>
  Object.fromEntries(members.map((member) => [member, (value: unknown) => value]));

const EMPTY = safe();
const PROJECT = safe("name", "description");
const APPLICATION = safe(
  ...["name", "description", "git_repository", "build_mode", "dockerfile_path", "healthchecks", "ports"],
  ...["cpu", "memory", "min_running_instances", "max_running_instances"],
);
const DATABASE = safe("name", "type", "mode", "version", "accessibility", "cpu", "memory", "storage");
const WEBHOOK = safe("target_url", "events", "enabled", "kind");

/**
 * The members of each operation's body that the journal may keep. Every other member is masked: a secret that nobody
 * thought of must not stand in the journal.
 */
const MASKS = {
  createProject: PROJECT,
  updateProject: PROJECT,
  createEnvironment: safe("name", "mode", "cluster", "cluster_id"),
  updateEnvironment: safe("name", "mode"),
  createApplication: APPLICATION,
  updateApplication: APPLICATION,
  deployApplication: safe("git_commit_id"),
  stopApplication: EMPTY,
  restartApplication: EMPTY,
  createDatabase: DATABASE,
  updateDatabase: DATABASE,
  deployDatabase: EMPTY,
  stopDatabase: EMPTY,
  deployCluster: EMPTY,
  stopCluster: EMPTY,
  upgradeCluster: EMPTY,
  createHelmDefaultValues: safe("source"),
  downloadInvoices: EMPTY,
  cancelDeploymentRequest: EMPTY,
  createApplicationVariable: safe("key", "value", "description"),
  updateApplicationVariable: safe("key", "value"),
  createApplicationSecret: safe("key", "description"),
  updateApplicationSecret: safe("key"),
  createWebhook: WEBHOOK,
  updateWebhook: WEBHOOK,
  importEnvironmentVariable: { ...safe("overwrite"), vars: maskVariables },
  createBlueprint: { ...safe("name", "tag", "icon", "spec_overrides"), variables: maskVariables },
  updateClusterPlatformBinding: {
    ...safe("templateKey", "templateVersion", "layerSelections"),
    managedConfig: maskConfig,
    customerProvidedInputs: maskConfig,
  },
} satisfies Readonly<Record<BodyOperationId, Masks>>;
const masksOf: ReadonlyMap<string | undefined, Masks> = new Map(Object.entries(MASKS));

/**
 * @param operation undefined for a route that does not exist: its body is not shown at all.
 * @returns the body as the journal may keep it: parsed, secret values masked; undefined without a body.
 */
export function maskBody(raw: Buffer, operation: OperationId | undefined, world: World): unknown {
  if (raw.length === 0) return undefined;
  const body = parse(raw);
  const masks = masksOf.get(operation);
  if (masks === undefined || typeof body !== "object" || body === null || Array.isArray(body)) return masked;
  return mapValues({ ...body }, (value, member) =>
    Object.hasOwn(masks, member) ? masks[member]?.(value, world) : masked,
  );
}

function parse(raw: Buffer): unknown {
  try {
    return printable(parseJson(raw.toString()));
  } catch {
    return undefined;
  }
}

/** The journal is read as JSON, so integers beyond 2^53 are kept as text. */
function printable(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, printable(member)]));
}

function maskVariables(value: unknown): unknown {
  const variables = Variables.safeParse(value);
  if (!variables.success) return masked;
  return variables.data.map((item) => (item.is_secret === true ? { ...item, value: masked } : item));
}

function maskConfig(value: unknown, world: World): unknown {
  const config = Config.safeParse(value);
  if (!config.success) return masked;
  const sensitive = sensitiveFields(world);
  return mapValues(config.data, (fields, component) =>
    mapValues(fields, (field, key) => (sensitive.has(`${component}.${key}`) ? masked : field)),
  );
}

/** @returns `component.field` of every field that any template version says is sensitive. */
function sensitiveFields(world: World): ReadonlySet<string> {
  const components = world.templates.flatMap((template) => template.layers).flatMap((layer) => layer.components);
  return new Set(
    components.flatMap(({ key, fields }) =>
      fields.filter((field) => field.sensitive).map((field) => `${key}.${field.key}`),
    ),
  );
}

function mapValues<T, To>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
