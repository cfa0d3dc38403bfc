import { z } from "zod";

import type { OperationId } from "./operations.ts";
import type { World } from "./world.ts";

/** What a secret value is shown as. */
const masked = "***";

const Vars = z.looseObject({
  vars: z.array(z.looseObject({ is_secret: z.boolean().optional() })).optional(),
  variables: z.array(z.looseObject({ is_secret: z.boolean().optional() })).optional(),
});
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));
const BindingBody = z.looseObject({
  templateKey: z.string().optional(),
  managedConfig: Config.optional(),
  customerProvidedInputs: Config.optional(),
});

/**
 * @param operation undefined for a route that does not exist: its body is not shown at all.
 * @returns the body as the journal may keep it: parsed, secret values masked; undefined without a body.
 */
export function maskBody(raw: Buffer, operation: OperationId | undefined, world: World): unknown {
  if (raw.length === 0) return undefined;
  const body = parse(raw);
  if (operation === undefined || body === undefined) return masked;
  switch (operation) {
    case "createApplicationSecret":
    case "updateApplicationSecret":
      return withMember(body, "value");
    case "importEnvironmentVariable":
    case "createBlueprint":
      return maskVars(body);
    case "createWebhook":
    case "updateWebhook":
      return withMember(body, "target_secret");
    case "updateClusterPlatformBinding":
      return maskBinding(body, world);
    default:
      return body;
  }
}

function parse(raw: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(raw.toString());
    return value;
  } catch {
    return undefined;
  }
}

function withMember(body: unknown, member: string): unknown {
  if (typeof body !== "object" || body === null || !(member in body)) return body;
  return { ...body, [member]: masked };
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

/** Sensitive are the fields that any version of the template says are. */
function maskBinding(body: unknown, world: World): unknown {
  const parsed = BindingBody.safeParse(body);
  if (!parsed.success) return masked;
  const sensitive = new Set<string>();
  for (const template of world.templates) {
    for (const component of template.layers.flatMap((layer) => layer.components)) {
      for (const field of component.fields) if (field.sensitive) sensitive.add(`${component.key}.${field.key}`);
    }
  }
  const hide = (config: z.infer<typeof Config>): z.infer<typeof Config> => {
    const components = Object.entries(config).map(([component, fields]) => {
      const shown = Object.entries(fields).map(([key, value]) => [
        key,
        sensitive.has(`${component}.${key}`) ? masked : value,
      ]);
      return [component, Object.fromEntries(shown)] as const;
    });
    return Object.fromEntries(components);
  };
  const { managedConfig, customerProvidedInputs, ...rest } = parsed.data;
  return {
    ...rest,
    ...(managedConfig && { managedConfig: hide(managedConfig) }),
    ...(customerProvidedInputs && { customerProvidedInputs: hide(customerProvidedInputs) }),
  };
}
