/** Records of an organization without behavior: operations, routes and storage are derived from a row of the table. */
export interface PlainRecords {
  /** The names in its operations, e.g. "Registry" and "Registries". */
  readonly one: string;
  readonly several: string;
  /** The noun in messages, e.g. "registry". */
  readonly noun: string;
  /** The segment of their paths. */
  readonly path: string;
  /** The members besides the name, all texts. A secret is neither shown nor kept in the journal. */
  readonly members: Readonly<Record<string, "text" | "secret">>;
}

export const plain = {
  // A row for each kind of record.
} as const satisfies Record<string, PlainRecords>;

type Plain = typeof plain;

/** The ids of their operations. */
export type PlainId = {
  [Name in keyof Plain]:
    | `list${Plain[Name]["several"]}`
    | `${"create" | "get" | "update" | "delete"}${Plain[Name]["one"]}`;
}[keyof Plain];

export function idsOf({ one, several }: PlainRecords) {
  const ids = {
    list: `list${several}`,
    create: `create${one}`,
    get: `get${one}`,
    update: `update${one}`,
    delete: `delete${one}`,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- PlainId is made of the same rows.
  return ids as Readonly<Record<keyof typeof ids, PlainId>>;
}
