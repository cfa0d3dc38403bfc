/** The names of a kind in the code, derived from its kind. */
export interface Names {
  /** "PlatformVariableSet" */
  readonly kind: string;
  /** "platformVariableSet": its resource */
  readonly resource: string;
  /** "VariableSet" and "VariableSets" */
  readonly type: string;
  readonly types: string;
  /** "variableSet" and "variableSets" */
  readonly camel: string;
  readonly camels: string;
  /** "variable-set": its folder and files */
  readonly folder: string;
  /** "variable set" and "variable sets" */
  readonly noun: string;
  readonly nouns: string;
  /** "pvarset" */
  readonly short: string;
}

/** @throws Error for a name that is not "Platform" and words that begin with a capital letter */
export function namesOf(kind: string): Names {
  if (!/^Platform([A-Z][a-z]+)+$/.test(kind))
    throw new Error(`${kind} is no name of a kind, such as PlatformRegistry.`);
  const type = kind.slice("Platform".length);
  const words = [...type.matchAll(/[A-Z][a-z]+/g)].map(([word]) => word.toLowerCase());
  const types = pluralOf(type);
  return {
    kind,
    resource: uncapitalized(kind),
    type,
    types,
    camel: uncapitalized(type),
    camels: uncapitalized(types),
    folder: words.join("-"),
    noun: words.join(" "),
    nouns: pluralOf(words.join(" ")),
    short: `p${words.map((word) => word.slice(0, 3)).join("")}`,
  };
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

const uncapitalized = (word: string): string => `${word.slice(0, 1).toLowerCase()}${word.slice(1)}`;
