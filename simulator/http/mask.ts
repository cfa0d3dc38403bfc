import { z } from "zod";

import { parseJson } from "../base/json.ts";
import type { OperationId } from "../base/operations.ts";
import type { World } from "../model/world.ts";

/** What a secret value is shown as. */
const masked = "***";

const Vars = z.looseObject({
  vars: z.array(z.looseObject({ is_secret: z.boolean().optional() })).optional(),
  variables: z.array(z.looseObject({ is_secret: z.boolean().optional() })).optional(),
});
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));
type Config = z.infer<typeof Config>;
const BindingBody = z.looseObject({
  templateKey: z.string().optional(),
  managedConfig: Config.optional(),
  customerProvidedInputs: Config.optional(),
});

type Mask = (body: unknown, world: World) => unknown;

/** A body without secrets. */
const whole: Mask = (body) => body;
const without =
  (member: string): Mask =>
  (body) =>
    typeof body === "object" && body !== null && member in body ? { ...body, [member]: masked } : body;

/** How much of a body the journal may keep. The body of an operation that is not listed is masked as a whole. */
const MASKS: Readonly<Partial<Record<OperationId, Mask>>> = {
  createProject: whole,
  updateProject: whole,
  createEnvironment: whole,
  updateEnvironment: whole,
  createApplication: whole,
  updateApplication: whole,
  deployApplication: whole,
  stopApplication: whole,
  restartApplication: whole,
  createDatabase: whole,
  updateDatabase: whole,
  deployDatabase: whole,
  stopDatabase: whole,
  deployCluster: whole,
  stopCluster: whole,
  upgradeCluster: whole,
  createHelmDefaultValues: whole,
  downloadInvoices: whole,
  cancelDeploymentRequest: whole,
  createApplicationVariable: whole,
  updateApplicationVariable: whole,
  createApplicationSecret: without("value"),
  updateApplicationSecret: without("value"),
  createWebhook: without("target_secret"),
  updateWebhook: without("target_secret"),
  importEnvironmentVariable: maskVars,
  createBlueprint: maskVars,
  updateClusterPlatformBinding: maskBinding,
};

/**
 * @param operation undefined for a route that does not exist: its body is not shown at all.
 * @returns the body as the journal may keep it: parsed, secret values masked; undefined without a body.
 */
export function maskBody(raw: Buffer, operation: OperationId | undefined, world: World): unknown {
  if (raw.length === 0) return undefined;
  const body = parse(raw);
  const mask = operation && MASKS[operation];
  return mask === undefined || body === undefined ? masked : mask(body, world);
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

function maskVars(body: unknown): unknown {
  const parsed = Vars.safeParse(body);
  if (!parsed.success) return masked;
  const hide = <T extends { is_secret?: boolean | undefined }>(item: T): T | (T & { value: string }) =>
    item.is_secret === true ? { ...item, value: masked } : item;
  const { vars, variables, ...rest } = parsed.data;
  return {
    ...rest,
    ...(vars && { vars: vars.map(hide) }),
    ...(variables && { variables: variables.map(hide) }),
  };
}

function maskBinding(body: unknown, world: World): unknown {
  const parsed = BindingBody.safeParse(body);
  if (!parsed.success) return masked;
  const sensitive = sensitiveFields(world);
  const hide = (config: Config): Config =>
    mapValues(config, (fields, component) =>
      mapValues(fields, (value, key) => (sensitive.has(`${component}.${key}`) ? masked : value)),
    );
  const { managedConfig, customerProvidedInputs, ...rest } = parsed.data;
  return {
    ...rest,
    ...(managedConfig && { managedConfig: hide(managedConfig) }),
    ...(customerProvidedInputs && { customerProvidedInputs: hide(customerProvidedInputs) }),
  };
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

function mapValues<T>(record: Record<string, T>, change: (value: T, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
