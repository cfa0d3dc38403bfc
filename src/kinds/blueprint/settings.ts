/** What a blueprint is created with, and whether the spec is still the same. Pure. */
import { sameContent, type DriftField, type Fingerprint, type ResolvedNeeds } from "../../engine/contract/kind.ts";
import type { BlueprintInput } from "../../platform/areas/blueprints.ts";
import { memorable, settingsDrift, settingsOf, shownField, unsentPaths, type Settings } from "../service/settings.ts";
import { inputsOf } from "../shared/variables.ts";
import type { BlueprintSpec } from "./crd.ts";
import { serviceOf, type BlueprintContext, type Inputs, type Seen } from "./model.ts";

/** Returns the variables with their values and fingerprints. */
export function variableInputs(
  spec: BlueprintSpec,
  resolved: ResolvedNeeds,
): Pick<Inputs, "variables" | "fingerprint"> {
  const variables = inputsOf(spec.variables, resolved);
  return {
    variables,
    fingerprint: resolved.fingerprint(variables.map(({ name, value, isSecret }) => [name, value, isSecret])),
  };
}

/** Returns the body of the create. Overrides are sent as they are in the spec: absent, null or given. */
export function blueprintInput({ spec, inputs }: BlueprintContext): BlueprintInput {
  const { name, tag, icon, specOverrides } = spec;
  const variables = inputs.variables.map(({ name: variable, value, isSecret }) => ({
    name: variable,
    value,
    isSecret,
  }));
  return {
    name,
    tag,
    icon,
    ...(variables.length > 0 && { variables }),
    ...(specOverrides !== undefined && { specOverrides }),
  };
}

/** Returns the settings by path in the spec. No overrides, null and an empty object are equal. */
function declaredSettings({ name, tag, icon, specOverrides }: BlueprintSpec): Settings {
  return settingsOf({
    "spec.name": name,
    "spec.tag": tag,
    "spec.icon": icon,
    "spec.specOverrides": specOverrides ?? {},
  });
}

/** Returns what is remembered of them, as the platform cannot tell it back. */
export function written({ spec, inputs }: BlueprintContext): { settings: Settings; variables: Fingerprint } {
  return { settings: memorable(declaredSettings(spec)), variables: { ...inputs.fingerprint } };
}

/** Reports whether the variables are those that the service was created with. */
export function sameVariables({ memory, inputs }: BlueprintContext): boolean {
  const sent = memory.written?.variables;
  return sent === undefined || sameContent(sent, inputs.fingerprint);
}

/** Returns the paths that differ from when the service was created or adopted. */
export function changedPaths(context: BlueprintContext): readonly string[] {
  const changed = unsentPaths(declaredSettings(context.spec), context.memory.written);
  return sameVariables(context) ? changed : [...changed, "spec.variables"];
}

/** Returns where the service differs. Of a blueprint, the platform shows only name and icon. */
export function settingsDrifted(context: BlueprintContext, seen: Seen): readonly DriftField[] {
  const service = serviceOf(context, seen);
  if (service === undefined) return [];
  const observed = settingsOf({ "spec.name": service.name, "spec.icon": service.icon });
  return settingsDrift(declaredSettings(context.spec), observed).map(shownField);
}
