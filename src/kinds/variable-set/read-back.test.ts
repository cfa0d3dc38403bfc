import { describe, expect, it } from "vitest";

import type { KnownTarget, KnownVariable } from "./crd.ts";
import type { ListedVariable } from "./model.ts";
import { readBack } from "./target.ts";

const [SENT, NOW] = ["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:01.000Z"];

function entry(id: string, more: Partial<ListedVariable> = {}): ListedVariable {
  const times = { createdAt: SENT, updatedAt: SENT };
  return { id, key: "K", isSecret: false, scope: undefined, ...times, ...more };
}

/** As on the documented surface. */
const isSecret = (one: ListedVariable): boolean => one.isSecret;

/** The result for one variable that was just sent. */
function after(
  variable: Partial<KnownVariable>,
  before: readonly string[],
  listed: readonly ListedVariable[],
  now = NOW,
) {
  const target: KnownTarget = {
    applicationId: "a",
    before: [...before],
    sentAt: SENT,
    variables: [{ key: "K", digest: "d", ...variable }],
  };
  const { variables, before: pending } = readBack(
    target,
    () => listed,
    ({ isSecret }) => isSecret,
    new Date(now),
  );
  const [found] = variables ?? [];
  return { id: found?.id, created: found?.created === true, pending: pending !== undefined };
}

const old = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
const own = { scope: "APPLICATION" };

describe("an entry after an import", () => {
  it.each<[string, Parameters<typeof after>, ReturnType<typeof after>]>([
    ["that is new is ours", [{}, [], [entry("n")]], { id: "n", created: true, pending: false }],
    [
      "that was there is not",
      [{ id: "o" }, ["o"], [entry("o", { ...own, ...old })]],
      { id: "o", created: false, pending: false },
    ],
    [
      "that was ours stays ours",
      [{ id: "o", created: true }, ["o"], [entry("o", own)]],
      { id: "o", created: true, pending: false },
    ],
    [
      "in the place of one that was ours is ours",
      [{ id: "o", created: true }, ["o"], [entry("n")]],
      { id: "n", created: true, pending: false },
    ],
    [
      "in the place of one of others is not",
      [{ id: "o" }, ["o"], [entry("n")]],
      { id: "n", created: false, pending: false },
    ],
    [
      "beside an inherited one is ours",
      [{ id: "i" }, ["i"], [entry("i", old), entry("n")]],
      { id: "n", created: true, pending: false },
    ],
    [
      "that was made at another time is not",
      [{}, [], [entry("n", { createdAt: old.createdAt })]],
      { id: "n", created: false, pending: false },
    ],
    ["that is not listed yet is awaited", [{}, [], []], { id: undefined, created: false, pending: true }],
    [
      "that is hidden behind an inherited one is awaited",
      [{ id: "i" }, ["i"], [entry("i", old)]],
      { id: undefined, created: false, pending: true },
    ],
    [
      "that never comes is given up",
      [{}, [], [], "2026-11-21T10:02:00.000Z"],
      { id: undefined, created: false, pending: false },
    ],
    [
      "of which there are two belongs to nobody",
      [{}, [], [entry("n"), entry("m")]],
      { id: undefined, created: false, pending: true },
    ],
    [
      "that was not taken over is not awaited",
      [{ digest: undefined, failed: true }, [], []],
      { id: undefined, created: false, pending: false },
    ],
  ])("%s", (_, given, expected) => {
    expect(after(...given)).toEqual(expected);
  });

  it("keeps the time of our own change, and takes the platform's where it was sent again", () => {
    const target = (updatedAt: string | undefined): KnownTarget => ({
      applicationId: "a",
      before: ["o"],
      sentAt: SENT,
      variables: [{ key: "K", digest: "d", id: "o", updatedAt }],
    });
    const listed = () => [entry("o", { ...own, updatedAt: NOW })];
    expect(readBack(target(SENT), listed, isSecret, new Date(NOW)).variables).toMatchObject([{ updatedAt: SENT }]);
    expect(readBack(target(undefined), listed, isSecret, new Date(NOW)).variables).toMatchObject([{ updatedAt: NOW }]);
  });

  it.each<[string, Partial<ListedVariable>, Partial<KnownVariable>, ReturnType<typeof readBack>]>([
    [
      "that is a secret holds what was sent, and that is a write",
      { isSecret: true },
      { sent: "d" },
      {
        applicationId: "a",
        sentAt: SENT,
        writtenAt: SENT,
        variables: [{ key: "K", digest: "d", id: "n", created: true, updatedAt: SENT }],
      },
    ],
    [
      "that is no secret can be sent again",
      {},
      { sent: "d" },
      { applicationId: "a", sentAt: SENT, variables: [{ key: "K", id: "n", created: true, updatedAt: SENT }] },
    ],
    [
      "that somebody changed since holds something else",
      { isSecret: true, updatedAt: NOW },
      { sent: "d" },
      { applicationId: "a", sentAt: SENT, variables: [{ key: "K", id: "n", created: true, updatedAt: NOW }] },
    ],
    [
      "of which nobody knows what was sent may hold anything",
      { isSecret: true },
      {},
      { applicationId: "a", sentAt: SENT, variables: [{ key: "K", id: "n", created: true, updatedAt: SENT }] },
    ],
  ])("of an import without an answer %s", (_, made, noted, expected) => {
    const target: KnownTarget = { applicationId: "a", before: [], sentAt: SENT, variables: [{ key: "K", ...noted }] };
    expect(readBack(target, () => [entry("n", made)], isSecret, new Date(NOW))).toEqual(expected);
  });

  it("keeps what was sent for as long as it may land", () => {
    const target: KnownTarget = { applicationId: "a", before: [], sentAt: SENT, variables: [{ key: "K", sent: "d" }] };
    expect(readBack(target, () => [], isSecret, new Date(NOW)).variables).toEqual([{ key: "K", sent: "d" }]);
    expect(readBack(target, () => [], isSecret, new Date("2026-11-21T10:02:00.000Z")).variables).toEqual([
      { key: "K" },
    ]);
  });

  it("is not looked for where nothing was sent", () => {
    const target: KnownTarget = { applicationId: "a", variables: [{ key: "K", id: "o", created: true }] };
    expect(readBack(target, () => [], isSecret, new Date(NOW))).toBe(target);
  });
});
