/** What the parts of the blueprint kind exchange, and the checks of its settings and variables. Pure. */
import {
  sameContent,
  type ConditionFact,
  type Fingerprint,
  type ReconcileContext,
  type ResolvedNeeds,
  type Uuid,
  type StatusReason,
} from "../../engine/contract/kind.ts";
import {
  NOTHING_OBSERVED as NOTHING_OF_SERVICE,
  type ServiceAction,
  type ServiceInputs,
  type ServiceObserved,
  type ServiceNames,
  serviceRecord,
} from "../service/model.ts";
import { declaredSettings, rememberedSettings, type ServiceSetting } from "../service/settings.ts";
import type { ListedObject } from "../shared/names.ts";
import { hasOperation } from "../shared/surface.ts";
import { fitText } from "../shared/text.ts";
import type { TypesOf } from "../shared/types.ts";
import { type InputVariable, resolvedVariables } from "../variables/declared.ts";
import type { BlueprintMemory, BlueprintSpec, platformBlueprint } from "./crd.ts";

/** Beyond the creation, only the full surface has operations: on the blueprint, and on the service that it became. */
export const NAMES = {
  noun: "service",
  plural: "blueprints",
  operations: { list: "listServices", create: "createBlueprint", update: "updateBlueprint", deploy: "deployBlueprint" },
  advice: new Map(),
} as const satisfies ServiceNames;

const ENDS: ReadonlyMap<string, Pick<ServiceNames["operations"], "stop" | "delete">> = new Map([
  ["HELM", { stop: "stopHelm", delete: "deleteHelm" }],
  ["TERRAFORM", { delete: "deleteTerraform" }],
]);

/** Returns the names with the operations that stop and delete a service of this type: a Terraform service has no stop. */
export function namesOf(type: string | undefined): ServiceNames {
  return { ...NAMES, operations: { ...NAMES.operations, ...ENDS.get(type?.toUpperCase() ?? "") } };
}

/** A service of a blueprint, under the id of that blueprint. */
export interface BlueprintService extends ListedObject {
  readonly serviceId: Uuid;
  readonly type: string | undefined;
  readonly icon: string | undefined;
}

export interface Observed extends ServiceObserved<BlueprintService> {
  /** Whether the platform answered the list of states. */
  readonly areStatesShown?: boolean;
}

/** The types of the kind. */
export type BlueprintTypes = TypesOf<
  typeof platformBlueprint,
  { inputs: BlueprintInputs; observed: Observed; action: ServiceAction }
>;

export interface BlueprintInputs extends ServiceInputs {
  readonly variables: readonly InputVariable[];
  /** The variables that are sent as they are. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
  /** Of both. */
  readonly fingerprint: Fingerprint;
}

export type BlueprintContext = ReconcileContext<BlueprintTypes>;

export const NOTHING_OBSERVED: Observed = NOTHING_OF_SERVICE;

/** Reports whether the service is to run: it was deployed with its creation, or adopted as deployed. */
export function isToRun({
  spec: { deployOnCreate },
  memory: { createdAt, lastDeployment },
}: BlueprintContext): boolean {
  if (createdAt === undefined) return deployOnCreate === true;
  return lastDeployment !== undefined && deployOnCreate !== false;
}

/** How long a list may not show a new service, and a service may not show its deployment. */
const LAG_MS = 10 * 60_000;

/** Reports whether something happened so recently that the platform may not show it yet. */
export function isRecent({ now }: BlueprintContext, since: string | undefined): boolean {
  return since !== undefined && now.getTime() - Date.parse(since) < LAG_MS;
}

/** Each setting, once. The platform shows only name and icon. No overrides, null and an empty object are equal. */
export const BLUEPRINT_SETTINGS: readonly ServiceSetting<BlueprintSpec, BlueprintService>[] = [
  { path: "spec.name", of: ({ name }) => name },
  { path: "spec.tag", declared: ({ tag }) => tag, observed: () => undefined },
  { path: "spec.icon", of: ({ icon }) => icon },
  { path: "spec.specOverrides", declared: ({ specOverrides }) => specOverrides ?? {}, observed: () => undefined },
];

/** Returns the memory of what is sent, as the platform does not return it. Without values of variables. */
export function written({ spec, inputs }: BlueprintContext): NonNullable<BlueprintMemory["written"]> {
  return {
    settings: rememberedSettings(declaredSettings(BLUEPRINT_SETTINGS, spec)),
    variables: { ...inputs.fingerprint },
    variableNames: [...variablesByName(inputs).keys()],
  };
}

/** Returns the variables of a spec as they are sent, and the fingerprint of all. */
export function blueprintVariables(
  variables: BlueprintSpec["variables"],
  objects: BlueprintInputs["objects"] = [],
  resolved: ResolvedNeeds,
): Omit<BlueprintInputs, "environmentId"> {
  const inputs = resolvedVariables(variables, resolved);
  const content = inputs.map(({ name, value, isSecret }) => [name, value, isSecret]);
  const fingerprint = resolved.fingerprint(objects.length === 0 ? content : [content, JSON.stringify(objects)]);
  return { variables: inputs, objects, fingerprint };
}

/** Returns what an update sends of each variable, by name; objects without a name are left out. */
export function variablesByName({ variables, objects }: BlueprintInputs): ReadonlyMap<string, object> {
  const named = objects.flatMap(({ name, ...rest }) => (typeof name === "string" ? [[name, rest] as const] : []));
  return new Map([
    ...variables.map(({ name, value, isSecret }) => [name, { value, is_secret: isSecret }] as const),
    ...named,
  ]);
}

/** Reports whether the variables are those that were last sent. */
export function sameVariables({ memory, inputs }: BlueprintContext): boolean {
  const sent = memory.written?.variables;
  return sent === undefined || sameContent(sent, inputs.fingerprint);
}

/**
 * Returns why changed variables cannot be sent: nothing updates them, or the update cannot name them. Undefined where
 * they can be, and where none changed.
 */
export function variablesRefused(
  context: BlueprintContext,
  { siblings }: Pick<Observed, "siblings">,
): StatusReason | undefined {
  if (sameVariables(context)) return undefined;
  const what =
    "spec.variables, spec.variableObjects, or values in Secrets and ConfigMaps that they refer to, are not those that were sent";
  if (!hasOperation(context, NAMES.operations.update)) {
    const message = `${what}, and the platform's surface has no update of blueprints. Change them back, or change them on the platform and adopt the service with a new resource, or create the service again.`;
    return { reason: "UpdateNotSupported", message };
  }
  if (serviceRecord(context, { siblings }) === undefined) {
    return { reason: "NotObservable", message: `${what}. They are sent once the platform shows the service.` };
  }
  if (context.inputs.objects.every(({ name }) => typeof name === "string")) return undefined;
  const message = `${what}, and an update names each variable, which an object of spec.variableObjects does not: give each a name, or change them back.`;
  return { reason: "UpdateNotSupported", message };
}

const OVERRIDES = "spec.specOverrides";
const VERSION = `${OVERRIDES}.engine_version`;
const IGNORED_BY_HELM = ["engine_version", "credentials", "backend"] as const;
/** The largest number of characters of a user's text that a message quotes. */
const QUOTED = 64;

/** Returns why the platform would refuse the overrides; undefined where nothing here contradicts them. */
export function overridesRefused(spec: BlueprintSpec): StatusReason | undefined {
  const { engine, allowedEngineVersions: allowed } = spec;
  if (engine === undefined || engine === "Helm") return undefined;
  const version = spec.specOverrides?.["engine_version"] ?? undefined;
  const choice = allowed === undefined ? "Set it to a version that the manifest allows" : `Set it to ${oneOf(allowed)}`;
  if (version === undefined) return invalid(`${VERSION} is required for ${engine} blueprints. ${choice}.`);
  if (typeof version !== "string") return invalid(`${VERSION} must be a string; put the version into quotes.`);
  if (allowed === undefined || allowed.includes(version)) return undefined;
  return invalid(
    `${VERSION} is ${JSON.stringify(fitText(version, QUOTED))}, which the manifest does not allow. ${choice}.`,
  );
}

/**
 * Returns the condition ConfigValid; none where the engine is not known: neither spec.engine nor the type of the service
 * tells it. The condition itself prevents nothing.
 * @param type of the service as the platform shows it. That of Terraform is OpenTofu's as well
 */
export function configCondition(spec: BlueprintSpec, type?: string): readonly ConditionFact[] {
  const engine = spec.engine ?? (type?.toUpperCase() === "HELM" ? "Helm" : undefined);
  if (engine === undefined) return [];
  const refused = overridesRefused(spec);
  if (refused !== undefined) return [{ type: "ConfigValid", status: "False", ...refused }];
  const ignored = engine === "Helm" ? ignoredByHelm(spec) : [];
  const message =
    ignored.length === 0
      ? `The operator finds no error in ${OVERRIDES} for a ${engine} blueprint; the platform validates the rest.`
      : `Helm blueprints ignore ${ignored.join(", ")}: only the timeout and the resource fields apply. Remove what is ignored.`;
  const reason = ignored.length === 0 ? "Valid" : "FieldsIgnored";
  return [{ type: "ConfigValid", status: "True", reason, message }];
}

function ignoredByHelm({ specOverrides }: BlueprintSpec): readonly string[] {
  const given = specOverrides ?? {};
  return IGNORED_BY_HELM.filter((member) => Object.hasOwn(given, member)).map((member) => `${OVERRIDES}.${member}`);
}

function oneOf(versions: readonly string[]): string {
  const shown = versions.slice(0, 10).join(", ");
  if (versions.length === 1) return shown;
  return versions.length > 10 ? `one of ${shown}, … (spec.allowedEngineVersions)` : `one of ${shown}`;
}

function invalid(message: string): StatusReason {
  return { reason: "InvalidSpec", message };
}
