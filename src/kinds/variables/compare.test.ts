import { describe, expect, it } from "vitest";

import { print } from "../../../test/support/services/applications.ts";
import { type Compared, compareVariables, type ListedVariable, type VariableFacts } from "./compare.ts";
import type { WantedVariable } from "./declared.ts";
import { asOwned, type Owned, type OwnedVariable } from "./owned.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const BEFORE = "2026-11-21T09:00:00Z";
const LATER = "2026-11-21T09:30:00Z";

const variable = (isSecret: boolean, value = "declared"): WantedVariable => ({
  name: "NAME",
  value,
  isSecret,
  digest: value,
});

/** An entry of the lists. The digest of a value is the value; a secret shows none. */
const listed = (isSecret: boolean, value: string, change: Partial<ListedVariable> = {}): ListedVariable => ({
  id: "id-1",
  key: "NAME",
  isSecret,
  digest: isSecret ? undefined : value,
  scope: "APPLICATION",
  createdAt: BEFORE,
  updatedAt: BEFORE,
  ...change,
});

const lists = (...entries: readonly ListedVariable[]) => ({
  plain: entries.filter(({ isSecret }) => !isSecret),
  secrets: entries.filter(({ isSecret }) => isSecret),
});

/** What the lists show of NAME. */
const SHOWN = {
  unread: {},
  absent: lists(),
  "the value": lists(listed(false, "declared")),
  "another value": lists(listed(false, "theirs")),
  "no value": lists(listed(false, "", { digest: undefined })),
  "no value, changed": lists(listed(false, "", { digest: undefined, updatedAt: LATER })),
  "a secret": lists(listed(true, "")),
  "a secret, changed": lists(listed(true, "", { updatedAt: LATER })),
} as const;

/** What the resource wrote of NAME before. */
const WRITTEN: Readonly<Record<string, readonly OwnedVariable[]>> = {
  nothing: [],
  "the value": [{ ...asOwned(variable(false)), updatedAt: BEFORE }],
  "the secret": [{ ...asOwned(variable(true)), updatedAt: BEFORE }],
  "another value": [asOwned(variable(false, "older"))],
  "another secret": [asOwned(variable(true, "older"))],
};

interface Change {
  readonly isFull?: boolean;
  readonly overwrite?: boolean;
  readonly requested?: string;
  readonly isAdopted?: boolean;
  readonly owned?: Partial<Owned>;
}

function facts(
  wanted: readonly WantedVariable[],
  variables: readonly OwnedVariable[],
  shown: Compared["lists"],
  { isFull = true, overwrite = true, requested, isAdopted = false, owned = {} }: Change = {},
): VariableFacts {
  const fingerprint = print(wanted.map(({ digest, isSecret }) => `${digest} ${isSecret}`).join());
  const known = { variables: [...variables], written: print("written"), writtenAt: BEFORE, ...owned };
  return compareVariables(
    { isFull, requested },
    {
      wanted: { variables: wanted, fingerprint, overwrite },
      known,
      lists: shown,
      sent: new Set(),
      isAdopted,
      now: NOW,
      lastChange: () => known.writtenAt,
    },
  );
}

/** E.g. "import: changed, missing"; "in place" where nothing is wrong. */
function said({ comparisons: [found] }: VariableFacts): string {
  const { remedy, problem, drift } = found ?? {};
  const why = [problem, drift].filter((part) => part !== undefined).join(", ");
  return [remedy, why].filter((part) => part !== undefined && part !== "").join(": ") || "in place";
}

type Row = [written: string, shown: keyof typeof SHOWN, documented: string, full: string];

const PLAIN: readonly Row[] = [
  ["nothing", "unread", "import: unsent", "import: unsent"],
  ["nothing", "absent", "import: unsent", "import: unsent"],
  ["nothing", "the value", "in place", "in place"],
  ["nothing", "another value", "import: unsent", "import: unsent"],
  ["nothing", "no value", "import: unsent", "import: unsent"],
  ["nothing", "a secret", "import: unsent", "stuck"],
  ["the value", "unread", "in place", "in place"],
  ["the value", "absent", "import: changed, missing", "import: changed, missing"],
  ["the value", "the value", "in place", "in place"],
  ["the value", "another value", "import: changed, another value", "import: changed, another value"],
  ["the value", "no value", "in place", "in place"],
  ["the value", "no value, changed", "import: changed, changed by others", "import: changed, changed by others"],
  ["the value", "a secret", "stuck, a secret", "remove: changed, a secret"],
  ["another value", "unread", "import: unsent", "import: unsent"],
  ["another value", "absent", "import: unsent", "import: unsent"],
  ["another value", "the value", "in place", "in place"],
  ["another value", "another value", "import: unsent", "import: unsent"],
  ["the secret", "unread", "import: unsent", "import: unsent"],
  ["the secret", "a secret", "import: unsent", "remove: unsent"],
  ["the secret", "the value", "in place", "in place"],
];

const SECRET: readonly Row[] = [
  ["nothing", "unread", "import: unsent", "import: unsent"],
  ["nothing", "absent", "import: unsent", "import: unsent"],
  ["nothing", "a secret", "import: unsent", "updateSecret: unsent"],
  ["nothing", "another value", "import: unsent", "import: unsent"],
  ["the secret", "unread", "in place", "in place"],
  ["the secret", "absent", "import: changed, missing", "import: changed, missing"],
  ["the secret", "a secret", "in place", "in place"],
  ["the secret", "a secret, changed", "fixed, changed by others", "updateSecret: changed, changed by others"],
  ["the secret", "the value", "import: changed, a plain variable", "remove: changed, a plain variable"],
  ["another secret", "a secret", "import: unsent", "updateSecret: unsent"],
  ["another secret", "absent", "import: unsent", "import: unsent"],
  ["the value", "the value", "import: unsent", "remove: unsent"],
  ["the value", "absent", "import: unsent", "import: unsent"],
];

describe.each([
  ["a plain variable", false, PLAIN],
  ["a secret", true, SECRET],
] as const)("%s of the spec", (_, isSecret, rows) => {
  it.each(rows)(
    "of which %s was written and %s is shown: Documented %s, Full %s",
    (written, shown, documented, full) => {
      const found = (isFull: boolean) =>
        said(facts([variable(isSecret)], WRITTEN[written] ?? [], SHOWN[shown], { isFull }));
      expect({ documented: found(false), full: found(true) }).toEqual({ documented, full });
    },
  );
});

describe("a variable of others of the same name", () => {
  it.each<[keyof typeof SHOWN, string]>([
    ["the value", "in place"],
    ["another value", "kept"],
    ["a secret", "kept"],
    ["absent", "import: unsent"],
  ])("with %s, where nothing may be overwritten: %s", (shown, expected) => {
    expect(said(facts([variable(false)], [], SHOWN[shown], { overwrite: false }))).toBe(expected);
  });

  it("is not owned where nothing may be overwritten, although it has the value", () => {
    const { owned } = facts([variable(false)], [], SHOWN["the value"], { overwrite: false });
    expect(owned.variables).toBeUndefined();
  });

  it("is owned where it may be overwritten and has the value, without a deployment", () => {
    const { owned } = facts([variable(false)], [], SHOWN["the value"]);
    expect(owned.variables).toEqual([asOwned(variable(false))]);
    expect(owned.writtenAt).toBe(BEFORE);
  });

  it("is asked for once where its scope is not shown, as it may be inherited", () => {
    const inherited = lists(listed(false, "theirs", { scope: undefined }));
    expect(said(facts([variable(false)], [], inherited, { overwrite: false }))).toBe("import: unsent");
  });

  it.each(["PROJECT", "ENVIRONMENT", "BUILT_IN"])("does not count in the scope %s", (scope) => {
    const inherited = lists(listed(false, "declared", { scope }));
    expect(said(facts([variable(false)], [], inherited))).toBe("import: unsent");
  });

  it("does not count with another spelling", () => {
    expect(said(facts([variable(false)], [], lists(listed(false, "declared", { key: "Name" }))))).toBe(
      "import: unsent",
    );
  });
});

describe("an adopted application", () => {
  it.each<[string, boolean, keyof typeof SHOWN, string]>([
    ["a secret", true, "a secret", "in place"],
    ["a plain variable with the value", false, "the value", "in place"],
    ["a plain variable with another value", false, "another value", "import: unsent"],
    ["a variable that it lacks", false, "absent", "import: unsent"],
    ["variables that cannot be read", false, "unread", "in place"],
  ])("with %s", (_, isSecret, shown, expected) => {
    expect(said(facts([variable(isSecret)], [], SHOWN[shown], { isAdopted: true }))).toBe(expected);
  });

  it("is not deployed because of the secrets that it was found with", () => {
    const { owned } = facts([variable(true)], [], SHOWN["a secret"], { isAdopted: true });
    expect(owned.variables).toEqual([{ ...asOwned(variable(true)), updatedAt: BEFORE }]);
    expect(owned.writtenAt).toBe(BEFORE);
  });
});

describe("a variable that the platform did not take", () => {
  const failed = (value: string): OwnedVariable => ({
    key: "NAME",
    failed: true,
    ...(value !== "" && { digest: value }),
  });
  const tried = (isSecret: boolean, attempts: number, sentAt: string): Change => ({
    owned: { written: print(`declared ${isSecret}`), attempts, sentAt },
  });

  it.each<[string, boolean, number, string, keyof typeof SHOWN, string]>([
    ["a moment ago", false, 1, "2026-11-21T09:59:50Z", "absent", "later"],
    ["a while ago", false, 1, "2026-11-21T09:59:20Z", "absent", "import: later"],
    ["a while ago, and the lists are not read", false, 1, "2026-11-21T09:59:20Z", "unread", "later"],
    ["three times", false, 3, BEFORE, "absent", "refused"],
    ["because it is there as a secret", false, 1, BEFORE, "a secret", "stuck"],
    ["a moment ago, and is there now", false, 1, "2026-11-21T09:59:50Z", "the value", "in place"],
  ])("%s", (_, isSecret, attempts, sentAt, shown, expected) => {
    const found = facts([variable(isSecret)], [failed("")], SHOWN[shown], tried(isSecret, attempts, sentAt));
    expect(said(found)).toBe(expected);
  });

  it("is sent again on request, but not a moment after it was sent", () => {
    const sentAt = (at: string) =>
      said(facts([variable(false)], [failed("")], SHOWN.absent, { ...tried(false, 3, at), requested: "now" }));
    expect(sentAt(BEFORE)).toBe("import: unsent");
    expect(sentAt("2026-11-21T09:59:58Z")).toBe("refused");
  });

  it("is sent again when its value changes", () => {
    const found = facts([variable(false)], [failed("older")], SHOWN.absent, { owned: { attempts: 3, sentAt: BEFORE } });
    expect(said(found)).toBe("import: unsent");
  });
});

describe("a value that the platform stores differently than it was sent", () => {
  const replaced = [{ ...asOwned(variable(false)), replaced: "theirs" }];

  it("is not sent for ever", () => {
    expect(said(facts([variable(false)], replaced, SHOWN["another value"]))).toBe("altered, another value");
  });

  it("is sent again on request", () => {
    const found = facts([variable(false)], replaced, SHOWN["another value"], { requested: "now" });
    expect(said(found)).toBe("import: changed, another value");
  });

  it("is told apart from a value that a person sets again, and from a third value", () => {
    const again = lists(listed(false, "theirs", { updatedAt: LATER }));
    const third = lists(listed(false, "third"));
    expect(said(facts([variable(false)], replaced, again))).toBe("import: changed, another value");
    expect(said(facts([variable(false)], replaced, third))).toBe("import: changed, another value");
  });
});

describe("a request without an answer", () => {
  const sentAt = "2026-11-21T09:59:30.000Z";
  const noted = (isSecret: boolean): OwnedVariable => ({
    key: "NAME",
    ...(isSecret && { secret: true as const }),
    sent: "declared",
  });
  const shownAt = (isSecret: boolean, createdAt: string, updatedAt = createdAt) =>
    lists(listed(isSecret, "declared", { createdAt, updatedAt }));

  it("has changed the application where its variable is listed, which is then deployed", () => {
    const { owned } = facts([variable(false)], [noted(false)], SHOWN["the value"], { owned: { sentAt } });
    expect(owned.variables).toEqual([asOwned(variable(false))]);
    expect(owned.writtenAt).toBe(NOW.toISOString());
  });

  it.each([
    ["at that time", shownAt(true, sentAt), "in place"],
    ["at that time, and changed since", shownAt(true, sentAt, "2026-11-21T09:59:50Z"), "import: unsent"],
    ["long before", shownAt(true, BEFORE), "import: unsent"],
  ])("has made a secret that was created %s: %s", (_, shown, expected) => {
    const found = facts([variable(true)], [noted(true)], shown, { isFull: false, owned: { sentAt } });
    expect(said(found)).toBe(expected);
  });

  it("is forgotten once it cannot take effect any more", () => {
    const { owned } = facts([variable(false)], [noted(false)], SHOWN.absent, { owned: { sentAt: BEFORE } });
    expect(owned.variables).toEqual([{ key: "NAME", sent: undefined }]);
  });
});

describe("a variable that left the spec", () => {
  const left = (written: string, shown: keyof typeof SHOWN, isFull: boolean) =>
    facts([], WRITTEN[written] ?? [], SHOWN[shown], { isFull }).leftovers.map(({ known, entry }) => ({
      key: known.key,
      entry: entry?.id,
    }));

  it.each<[string, keyof typeof SHOWN, string | undefined, string | undefined]>([
    ["the value", "the value", undefined, "id-1"],
    ["the value", "unread", undefined, undefined],
    ["the secret", "a secret", undefined, "id-1"],
  ])(
    "and was written as %s, with %s shown, is removed by its id where the surface can",
    (written, shown, documented, full) => {
      expect(left(written, shown, false)).toEqual([{ key: "NAME", entry: documented }]);
      expect(left(written, shown, true)).toEqual([{ key: "NAME", entry: full }]);
    },
  );

  it.each<[string, string, keyof typeof SHOWN]>([
    ["was never written", "nothing", "another value"],
    ["has a value of others now", "the value", "another value"],
    ["is a secret that others changed", "the secret", "a secret, changed"],
  ])("and %s is not touched", (_, written, shown) => {
    expect(left(written, shown, true)).toEqual([]);
  });

  it("is not removed in another scope", () => {
    const inherited = lists(listed(false, "declared", { scope: "PROJECT" }));
    const { leftovers } = facts([], [{ ...asOwned(variable(false)), scope: "PROJECT" }], inherited);
    expect(leftovers.map(({ entry }) => entry)).toEqual([undefined]);
  });

  it("is forgotten once a list lacks it, and the application is deployed", () => {
    const { owned, leftovers } = facts([], WRITTEN["the value"] ?? [], SHOWN.absent);
    expect(leftovers).toEqual([]);
    expect(owned.variables).toBeUndefined();
    expect(owned.writtenAt).toBe(NOW.toISOString());
  });
});

it("a variable that left the spec and was never taken is forgotten without a deployment", () => {
  const { owned } = facts([], [{ key: "NAME", failed: true }], SHOWN.unread);
  expect(owned.variables).toBeUndefined();
  expect(owned.writtenAt).toBe(BEFORE);
});

describe("after the loss of the installation's key", () => {
  const inputs = variable(true);
  const compared = (sources: string) =>
    compareVariables(
      { isFull: false, requested: undefined },
      {
        wanted: { variables: [inputs], fingerprint: print("new", "key-2", sources), overwrite: true },
        known: { variables: [{ ...asOwned(inputs), digest: "old" }], written: print("old", "key-1", "1 s@1") },
        lists: {},
        sent: new Set(),
        isAdopted: false,
        now: NOW,
        lastChange: () => undefined,
      },
    );

  it("values whose sources have the same version count as written, under the new key", () => {
    const found = compared("1 s@1");
    expect(said(found)).toBe("in place");
    expect(found.owned.written).toEqual(print("new", "key-2", "1 s@1"));
  });

  it("values whose sources changed are sent", () => {
    expect(said(compared("1 s@2"))).toBe("import: unsent");
  });
});
