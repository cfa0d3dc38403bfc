/** Compares the settings of a spec, by the table of its kind, with what the platform has or was sent. Pure. */
import type { DriftField } from "../../engine/contract/kind.ts";
import { withoutCredentials } from "../../text/text.ts";
import { fitText } from "../shared/text.ts";
import type { WrittenSettings } from "./crd-status.ts";
import type { ServiceMemory } from "./model.ts";

/** Settings by path in the spec. A path is missing where the spec leaves it to the platform. Values are JSON text. */
export type Settings = Readonly<Record<string, string>>;

/** A setting of a service: where it is in the spec, and how spec and platform are compared. */
export type ServiceSetting<Spec, Item> = {
  /** E.g. "spec.cpu". */
  readonly path: string;
  /** It cannot be changed: a service with another value is not adopted, and it is not compared later. */
  readonly isFixed?: true;
  /** Returns the value for a manifest of the record, where that is not the compared value. */
  exported?(record: Item): unknown;
} & (
  | {
      /** Reads it from the spec, and from the platform's record, which has it under the same name. */
      of(from: Spec | Item): unknown;
    }
  | {
      declared(spec: Spec): unknown;
      /**
       * Returns undefined where the platform does not show it.
       * @param isSent whether the declared value was sent, as far as that is known: a part that is not shown counts as
       *   declared then
       */
      observed(record: Item, spec: Spec, isSent: boolean): unknown;
    }
);

/** Returns what the spec declares. Everything else is left alone. */
export function declaredSettings<Spec>(table: readonly ServiceSetting<Spec, never>[], spec: Spec): Settings {
  return settingsOf(table, (setting) => ("of" in setting ? setting.of(spec) : setting.declared(spec)));
}

/**
 * Returns the platform's values of the same settings, as far as it shows them. A part of a setting that it does not show
 * counts as declared.
 * @param unsent paths of settings that changed since they were last sent: a part that is not shown counts as absent
 */
export function observedSettings<Spec, Item>(
  table: readonly ServiceSetting<Spec, Item>[],
  record: Item,
  spec: Spec,
  unsent: readonly string[] = [],
): Settings {
  return settingsOf(table, (setting) =>
    "of" in setting ? setting.of(record) : setting.observed(record, spec, !unsent.includes(setting.path)),
  );
}

/** @param valueOf returns undefined for settings that are left out */
function settingsOf<Row extends { readonly path: string; readonly isFixed?: true }>(
  table: readonly Row[],
  valueOf: (setting: Row) => unknown,
): Settings {
  return Object.fromEntries(
    table.flatMap((setting) => {
      const value = setting.isFixed ? undefined : valueOf(setting);
      return value === undefined ? [] : [[setting.path, JSON.stringify(value)]];
    }),
  );
}

/** Returns the members of a spec that describes a record. Empty texts are left to the platform. */
export function exportedSettings<Spec, Item>(
  table: readonly ServiceSetting<Spec, Item>[],
  record: Item,
): Readonly<Record<string, unknown>> {
  const spec: Record<string, unknown> = {};
  const groups: Record<string, object> = {};
  for (const setting of table) {
    const value = setting.exported?.(record) ?? ("of" in setting ? setting.of(record) : undefined);
    const [, member = "", inner] = setting.path.split(".");
    const shown = value === "" ? undefined : value;
    if (inner !== undefined) groups[member] = { ...groups[member], [inner]: shown };
    spec[member] = inner === undefined ? shown : groups[member];
  }
  return spec;
}

/** Returns the settings as the status remembers them, without credentials. */
export function rememberedSettings(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, withoutCredentials(value)]));
}

/** Returns the declared fields whose value differs. A field that the platform does not show does not differ. */
export function settingsDrift(declared: Settings, observed: Settings): readonly DriftField[] {
  return Object.entries(declared).flatMap(([path, desired]) => {
    const found = observed[path];
    return found === undefined || found === desired ? [] : [{ path, desired, observed: found }];
  });
}

/** Returns a difference as it is shown: a repository's URL can hold a password. */
export function shownField({ path, desired, observed }: DriftField): DriftField {
  const shown = (value: string): string => fitText(withoutCredentials(value));
  return { path, desired: shown(desired), observed: shown(observed) };
}

/** Returns the paths of the declared settings that differ from what was last sent; none when that is not known. */
export function unsentPaths(declared: Settings, written: WrittenSettings | undefined): readonly string[] {
  const wanted = rememberedSettings(declared);
  const sent = written?.settings;
  return Object.keys(wanted).filter((path) => sent !== undefined && sent[path] !== wanted[path]);
}

/** Reports whether settings differ from what was last sent; false where that is unknown. */
export function isUnsent<Spec>(
  settings: readonly ServiceSetting<Spec, never>[],
  { spec, memory }: { readonly spec: Spec; readonly memory: ServiceMemory },
): boolean {
  return unsentPaths(declaredSettings(settings, spec), memory.written).length > 0;
}

/**
 * Reports whether the settings have to be sent: they differ, and not only in the way in which the platform stored the
 * same settings when they were last sent. Such a difference is reported as drift and does not cause another update.
 */
export function sendingDue(declared: Settings, observed: Settings, written: WrittenSettings | undefined): boolean {
  const wanted = rememberedSettings(declared);
  return settingsDrift(declared, observed).some(
    ({ path, observed: found }) =>
      written?.settings?.[path] !== wanted[path] || written?.altered?.[path] !== withoutCredentials(found),
  );
}

/**
 * Returns how many times the settings were updated after the creation. Where that number is lost, e.g. because somebody
 * edited the status, the number at the last deployment counts, so that an unknown change is not deployed.
 */
export function revisionOf(memory: {
  readonly written?: WrittenSettings | undefined;
  readonly lastDeployment?: { readonly settings?: number | undefined } | undefined;
}): number {
  return memory.written?.revision ?? memory.lastDeployment?.settings ?? 0;
}

/** Returns what the operator wrote. For an adopted service, the spec at that time is the baseline. */
export function writtenSettings<Spec>(
  settings: readonly ServiceSetting<Spec, never>[],
  { spec, memory }: { readonly spec: Spec; readonly memory: ServiceMemory },
): WrittenSettings {
  const sent = memory.written?.settings ?? rememberedSettings(declaredSettings(settings, spec));
  return { revision: revisionOf(memory), ...memory.written, settings: { ...sent } };
}

/**
 * Returns the memory of settings that were just sent.
 * @param stored the settings in the platform's answer, if it had one
 * @param revision the revision before
 */
export function writtenWith(declared: Settings, stored: Settings | undefined, revision: number): WrittenSettings {
  const otherwise = stored === undefined ? [] : settingsDrift(declared, stored);
  const altered = rememberedSettings(Object.fromEntries(otherwise.map(({ path, observed }) => [path, observed])));
  return {
    settings: rememberedSettings(declared),
    altered: otherwise.length === 0 ? undefined : altered,
    revision: revision + 1,
  };
}
