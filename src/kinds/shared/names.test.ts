import { describe, expect, it } from "vitest";

import { openIntent } from "../../../test/support/kinds/contexts.ts";
import type { OpenIntent } from "../../engine/contract/kind.ts";
import { asPage } from "../../platform/codec/listing.ts";
import { baseline, landed, nameMark, notCreated } from "./create-trace.ts";
import { checkDuplicate, reasonOutsideProjects, sameName } from "./names.ts";

const ONE = "00000000-0000-4000-8000-000000000001";
const TWO = "00000000-0000-4000-8000-000000000002";
const nobody = () => undefined;

it.each([
  ["shop", "Shop", true],
  [" shop ", "shop", true],
  ["shop", "shop-2", false],
  ["", "shop", false],
])("names %j and %j are the same: %s", (left, right, same) => {
  expect(sameName(left, right)).toBe(same);
});

describe("the possible result of a create", () => {
  const since = new Date("2026-11-21T10:00:00Z");
  const intent = (mark: OpenIntent["mark"]) => openIntent("createProject", { creates: true, name: "shop", mark });
  const made = (createdAt: string | undefined, name = "Shop") => {
    return { id: ONE, name, ...(createdAt !== undefined && { createdAt }) };
  };

  it.each<[string, object, ReturnType<typeof made>, boolean]>([
    ["of its name, made since", nameMark(since), made("2026-11-21T10:00:05Z"), true],
    ["made a little before, as clocks differ", nameMark(since), made("2026-11-21T09:59:01Z"), true],
    ["made before", nameMark(since), made("2026-11-21T09:58:59Z"), false],
    ["made nobody knows when", nameMark(since), made(undefined), true],
    ["with an invalid date", nameMark(since), made("soon"), true],
    ["where the platform shows no time", nameMark(undefined), made("2020-01-01T00:00:00Z"), true],
    ["of another name", nameMark(since), made("2026-11-21T10:00:05Z", "shop-2"), false],
  ])("%s", (_name, mark, item, expected) => {
    expect(landed(intent(mark as OpenIntent["mark"]), [item], nobody)).toEqual(expected ? [item] : []);
  });

  it("never belongs to another resource", () => {
    expect(landed(intent(nameMark(since)), [made(undefined)], () => "shop/other")).toEqual([]);
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ["is absent from a list that shows its whole baseline", [ONE], [ONE, TWO], "absent"],
    ["is absent where nothing was there", [], [], "absent"],
    ["is unknown where an object of the baseline is missing", [ONE, TWO], [ONE], "unknowable"],
  ])("%s", (_name, before, now, expected) => {
    const listed = (ids: readonly string[]) => ids.map((id) => ({ id }));
    expect(notCreated(intent({ ...nameMark(since, listed(before)) }), listed(now), listed(now)).is).toBe(expected);
  });

  it("is unknown where the list may be one page", () => {
    const page = asPage([{ id: ONE }]);
    const found = notCreated(intent({ ...nameMark(since, page) }), page, page);
    expect(found).toMatchObject({ is: "unknowable", why: { reason: "CreateResultUnknown" } });
  });

  it("has a baseline of at most a hundred ids, from the whole list", () => {
    const list = Array.from({ length: 1_001 }, (_item, index) => ({ id: `id ${index}` }));
    const { ids = [] } = nameMark(since, list);
    expect(ids.length).toBeLessThanOrEqual(100);
    expect(ids[0]).toBe("id 0");
    expect(Number(ids.at(-1)?.slice(3))).toBeGreaterThan(980);
  });

  it.each([[null], ["text"], [["list"]], [{}], [{ other: 1 }]])(
    "reads the baseline %j as one without the member",
    (mark) => {
      expect(baseline(mark, "absentAt")).toBeUndefined();
      expect(baseline(mark, "toString")).toBeUndefined();
    },
  );
});

describe("[A2] another object of the name of one that was created here", () => {
  const at = (minute: number): string => `2026-11-21T10:0${minute}:00Z`;
  const mine = { id: ONE, name: "shop", createdAt: at(2) };
  const context = { spec: {}, identitySource: "recorded", records: { holderOf: nobody } } as const;
  const later = { id: TWO, name: "Shop", createdAt: at(3) };
  const check = (change: object, other: object) =>
    checkDuplicate({ ...context, ...change }, mine, [mine, { ...later, ...other }], "x");

  it("is reported if it was created later", () => {
    const message = expect.stringMatching(new RegExp(`${TWO}.*${ONE}.*Nothing is deleted`)) as string;
    expect(check({}, {})).toEqual({ is: "stalled", why: { reason: "DuplicateRemote", message } });
    expect(check({}, { createdAt: at(2) })).toBeDefined();
  });

  it.each<[string, object, object]>([
    ["came before", {}, { createdAt: at(1) }],
    ["came nobody knows when", {}, { createdAt: undefined }],
    ["has another name", {}, { name: "shop-2" }],
    ["belongs to another resource", { records: { holderOf: () => "a/b" } }, {}],
    ["is known to the user, who says which one is meant", { spec: { externalId: ONE } }, {}],
    ["lies beside what is not recorded yet", { identitySource: "claimed" }, {}],
  ])("is none that %s", (_what, change, other) => {
    expect(check(change, other)).toBeUndefined();
  });
});

it.each([
  [[TWO], ONE, true],
  [[ONE], ONE, false],
  [undefined, ONE, false],
  [[TWO], undefined, false],
] as const)(
  "a deletion outside the connection's projects %j allowed, in %s: refused %s",
  (allowedProjects, projectId, refused) => {
    expect(reasonOutsideProjects({ policies: { allowedProjects } }, projectId)?.reason).toBe(
      refused ? "NotObservable" : undefined,
    );
  },
);
