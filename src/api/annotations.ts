/**
 * The valid values of the annotations. The operator parses annotations with these patterns and warns of other values;
 * the chart's admission policy is generated from this table.
 */
import { APPROVED_PLAN, EXTERNAL_ID, PAUSED, POLL_INTERVAL, RESOLVE, RUN_UNTIL } from "./names.ts";
import { type Annotated, NOT_PAUSING, PAUSING } from "./paused.ts";

/** The valid values of one annotation. */
interface AnnotationValues {
  /** Must mean the same in JavaScript and in RE2, which the admission policy uses. */
  readonly pattern: RegExp;
  /** Describes the valid values; follows "must be " in messages. */
  readonly allowed: string;
  /** A sentence that says what happens with any other value. */
  readonly otherwise: string;
}

/** A duration as Go writes it, e.g. "90s" or "1h30m". */
export const DURATION = /^([0-9]{1,9}(ms|s|m|h))+$/;

/** The valid values by the name of the annotation. A reconcile request is missing here, as it may have any value. */
export const ANNOTATIONS: Readonly<Record<string, AnnotationValues>> = {
  [PAUSED]: {
    pattern: new RegExp(`^(${[...PAUSING, ...NOT_PAUSING].join("|")})$`),
    allowed: '"true", "1" or "yes" to pause the object, "false", "0" or "no" not to',
    otherwise: "The object is not paused.",
  },
  [POLL_INTERVAL]: {
    pattern: DURATION,
    allowed: 'a duration such as "90s" or "1h30m"',
    otherwise: "The default is used.",
  },
  [RUN_UNTIL]: {
    pattern:
      /^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-][0-2][0-9]:[0-5][0-9])$/,
    allowed: 'a time such as "2026-11-24T22:30:00Z" or "2026-11-24T23:30:00+01:00"',
    otherwise: "Only spec.runSchedule applies.",
  },
  [RESOLVE]: {
    pattern:
      /^(recreate:[0-9A-Za-z-]{1,64}|adopt:[0-9A-Za-z-]{1,64}|proceed:[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z)$/,
    allowed: '"recreate:", "proceed:" or "adopt:" with what the message of the object names',
    otherwise: "Nothing is resolved.",
  },
  [APPROVED_PLAN]: {
    pattern: /^[0-9a-f]{16}$/,
    allowed: "the hash in status.plan, 16 hex digits",
    otherwise: "No plan is approved.",
  },
  [EXTERNAL_ID]: {
    pattern: /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/,
    allowed: "a UUID",
    otherwise: "It identifies nothing.",
  },
};

/**
 * Returns the time that the annotation run-until names: until then the object runs even if its schedule stops it.
 * Returns undefined without a valid annotation.
 */
export function runUntilOf({ metadata: { annotations = {} } }: Annotated): Date | undefined {
  const written = annotations[RUN_UNTIL] ?? "";
  const until = ANNOTATIONS[RUN_UNTIL]?.pattern.test(written) === true ? Date.parse(written) : Number.NaN;
  return Number.isNaN(until) ? undefined : new Date(until);
}

const RULES = Object.entries(ANNOTATIONS);

/** Returns a warning for each annotation with an invalid value. */
export function invalidAnnotations({ metadata: { annotations = {} } }: Annotated): readonly string[] {
  return RULES.flatMap(([name, { pattern, allowed, otherwise }]) => {
    const value = annotations[name];
    if (value === undefined || pattern.test(value)) return [];
    return [`The annotation ${name} is ${JSON.stringify(value.slice(0, 40))}; it must be ${allowed}. ${otherwise}`];
  });
}
