/** Compares declared settings, field by field, with what the platform has or was sent, and decides whether to send
 * them. Pure. */
import type { DriftField, Plan } from "../../engine/contract/kind.ts";
import { withoutCredentials } from "../../text/text.ts";
import { stalled } from "../shared/checks.ts";
import { fit } from "../shared/text.ts";
import type { WrittenSettings } from "./crd-status.ts";
import type { Noun, ServiceContext } from "./model.ts";

/** Settings by path in the spec. A path is missing where the spec leaves it to the platform. Values are JSON text. */
export type Settings = Readonly<Record<string, string>>;

/** @param values by path in the spec; undefined ones are left out */
export function settingsOf(values: Readonly<Record<string, unknown>>): Settings {
  return Object.fromEntries(
    Object.entries(values).flatMap(([path, value]) => (value === undefined ? [] : [[path, JSON.stringify(value)]])),
  );
}

/** Returns the settings as the status remembers them. */
export function memorable(settings: Settings): Settings {
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
  const shown = (value: string): string => fit(withoutCredentials(value));
  return { path, desired: shown(desired), observed: shown(observed) };
}

/** Returns the paths of the declared settings that differ from what was last sent; none when that is not known. */
export function unsentPaths(declared: Settings, written: WrittenSettings | undefined): readonly string[] {
  const wanted = memorable(declared);
  const sent = written?.settings;
  return Object.keys(wanted).filter((path) => sent !== undefined && sent[path] !== wanted[path]);
}

/**
 * Reports whether the settings have to be sent: when they differ, unless the platform made the difference of the same
 * settings when they were last sent. That is reported as drift, and not sent again and again.
 */
export function sendingDue(declared: Settings, observed: Settings, written: WrittenSettings | undefined): boolean {
  const wanted = memorable(declared);
  return settingsDrift(declared, observed).some(
    ({ path, observed: found }) =>
      written?.settings?.[path] !== wanted[path] || written?.altered?.[path] !== withoutCredentials(found),
  );
}

/**
 * How many times settings were sent. Where that is not known any more, as what an older version reads of a newer one's
 * status, it is as often as the last deployment had it: what nobody knows of is not brought out.
 */
export function revisionOf(memory: {
  readonly written?: WrittenSettings | undefined;
  readonly lastDeployment?: { readonly settings?: number | undefined } | undefined;
}): number {
  return memory.written?.revision ?? memory.lastDeployment?.settings ?? 0;
}

/**
 * What is remembered of settings that were sent. @param stored what the platform's answer shows, if it had one. @param
 * revision before it
 */
export function writtenWith(declared: Settings, stored: Settings | undefined, revision: number): WrittenSettings {
  const otherwise = stored === undefined ? [] : settingsDrift(declared, stored);
  const altered = memorable(Object.fromEntries(otherwise.map(({ path, observed }) => [path, observed])));
  return {
    settings: memorable(declared),
    altered: otherwise.length === 0 ? undefined : altered,
    revision: revision + 1,
  };
}

interface Compared {
  readonly noun: Noun;
  /** The update of the full surface, e.g. "updateApplication". */
  readonly op: string;
  readonly declared: Settings;
  /** As the platform has them; undefined where it does not show them, or they were sent in this reconcile already. */
  readonly observed: Settings | undefined;
  /** Whether the platform shows the record, into which an update is put. */
  readonly isShown: boolean;
  readonly written: WrittenSettings | undefined;
}

/** The update, where the settings differ and the surface has one; it corrects others unless the spec changed. */
export function checkSettings(
  context: ServiceContext,
  compared: Compared,
): Plan<{ readonly what: "update" }> | undefined {
  const { noun, op, declared, observed, written, isShown } = compared;
  if (context.supports(op) === "Unsupported" || !isShown) return checkSent(compared);
  if (observed === undefined) return undefined;
  const isAsked = context.requested !== undefined && settingsDrift(declared, observed).length > 0;
  if (!isAsked && !sendingDue(declared, observed, written)) return undefined;
  const corrects = context.requested === undefined && unsentPaths(declared, written).length === 0;
  const message = `Update the settings of the ${noun}.`;
  const changes = settingsDrift(declared, observed).map(shownField);
  return { is: "step", step: { repeat: "safe", op, do: { what: "update" }, message, corrects, changes } };
}

/** Where the platform shows no settings, those that were sent last are compared. */
function checkSent({ noun, declared, written }: Compared): Plan<never> | undefined {
  const changed = unsentPaths(declared, written);
  if (changed.length === 0) return undefined;
  return stalled(
    "UpdateNotSupported",
    `The platform's surface has no update of ${noun}s: ${changed.toSorted().join(", ")} cannot be changed. Change it back, or change it on the platform and adopt the ${noun} again.`,
  );
}
