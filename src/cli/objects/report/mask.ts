/** Removes from custom resources what may be secret, for support bundles. Pure. */
import { RECORD_SIGNATURE } from "../../../api/names.ts";
import { isObject, listMember, member, tryParseJson } from "../../../kube/api/json.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube/api/types.ts";
import { withoutCredentials } from "../../../text/text.ts";

const MASK = "•••";
/** Members whose texts are always users' values. */
const VALUES: ReadonlySet<string> = new Set(["value", "values", "log"]);
/** Members with a URL whose path is often a secret. */
const TARGETS: ReadonlySet<string> = new Set(["targetUrl"]);
/** Members with names of secrets; references to Secrets are objects and are masked member by member. */
const SECRET = /passw|secret|token|credential|private|api_?key|access_?key/i;
/** Annotations that repeat the spec or prove something. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  RECORD_SIGNATURE,
]);
/** Secrets in any text besides credentials in URLs: JWTs, authorization headers. */
const TEXTS: readonly (readonly [what: RegExp, by: string])[] = [
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, MASK],
  [/\b(Bearer|Token|Basic)\s+[\w.~+/=-]{8,}/g, `$1 ${MASK}`],
];

/** @returns the object without values that may be secret */
export function masked({ apiVersion, kind, metadata, spec, status }: KubeObject): JsonObject {
  const annotations = Object.entries(metadata.annotations ?? {}).map(([name, value]): [string, Json] => [
    name,
    ANNOTATIONS.has(name) ? MASK : maskedText(value),
  ]);
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    },
    spec: maskedValue(spec ?? {}),
    status: maskedValue(status ?? {}),
  };
}

/** @returns the text without secrets */
export function maskedText(text: string): string {
  return TEXTS.reduce((rest, [what, by]) => rest.replaceAll(what, by), withoutCredentials(text));
}

/** @returns any JSON without values that may be secret */
export function maskedValue(value: Json): Json {
  if (typeof value === "string") return maskedJson(value) ?? maskedText(value);
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    return list.map(maskedValue);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, Json][] =>
      inner === undefined ? [] : [[name, maskedMember(name, inner)]],
    ),
  );
}

function maskedMember(name: string, value: Json): Json {
  if (isSecret(name, value)) return MASK;
  return TARGETS.has(name) && typeof value === "string" ? maskedTarget(value) : maskedValue(value);
}

function maskedTarget(url: string): string {
  if (!URL.canParse(url)) return MASK;
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/${MASK}`;
}

/**
 * Masks the values in a JSON text: a status has some members of the spec as JSON.
 * @returns undefined for a text that is not an object or a list in JSON
 */
function maskedJson(text: string): string | undefined {
  const value = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  return value === undefined ? undefined : JSON.stringify(maskedValue(value));
}

function isSecret(name: string, value: Json): boolean {
  if (isObject(value) || Array.isArray(value)) return false;
  return VALUES.has(name) || (SECRET.test(name) && typeof value === "string");
}

/** @returns a container's environment: names only, except for the operator's own variables */
export function maskedEnv(container: Json): Json {
  return listMember(container, "env").map((entry) => {
    const name = member(entry, "name");
    const isOperatorVariable = typeof name === "string" && name.startsWith("PLATFORM_OPERATOR_");
    const value = member(entry, "value");
    return {
      name,
      ...(value === undefined
        ? {}
        : { value: isOperatorVariable && typeof value === "string" ? maskedText(value) : MASK }),
    };
  });
}
