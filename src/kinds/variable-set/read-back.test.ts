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

/** A target of which one variable was just sent. */
function sentTo(variable: Partial<KnownVariable>, change: Partial<KnownTarget> = {}): KnownTarget {
  return { applicationId: "a", before: [], sentAt: SENT, variables: [{ key: "K", ...variable }], ...change };
}

/** The result for one variable that was just sent. */
function after(variable: Partial<KnownVariable>, before: string[], listed: readonly ListedVariable[], now = NOW) {
  const target = sentTo({ digest: "d", ...variable }, { before });
  const { variables, before: pending } = readBack(target, () => listed, isSecret, new Date(now));
  const [found] = variables ?? [];
  return { id: found?.id, created: found?.created === true, pending: pending !== undefined };
}

const old = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
const own = { scope: "APPLICATION" };

describe("an entry after an import", () => {
  const inherited = { id: "i" };
  const theirs = { id: "o" };
  const ours = { id: "o", created: true };
  const found = (id: string, created: boolean) => ({ id, created, pending: false });
  const none = { id: undefined, created: false, pending: false };
  const awaited = { ...none, pending: true };

  it.each<[string, Parameters<typeof after>, ReturnType<typeof after>]>([
    ["that is new is ours", [{}, [], [entry("n")]], found("n", true)],
    ["that was there is not", [theirs, ["o"], [entry("o", { ...own, ...old })]], found("o", false)],
    ["that was ours stays ours", [ours, ["o"], [entry("o", own)]], found("o", true)],
    ["in the place of one that was ours is ours", [ours, ["o"], [entry("n")]], found("n", true)],
    ["in the place of one of others is not", [theirs, ["o"], [entry("n")]], found("n", false)],
    ["beside an inherited one is ours", [inherited, ["i"], [entry("i", old), entry("n")]], found("n", true)],
    ["that was made at another time is not", [{}, [], [entry("n", { createdAt: old.createdAt })]], found("n", false)],
    ["that is not listed yet is awaited", [{}, [], []], awaited],
    ["that is hidden behind an inherited one is awaited", [inherited, ["i"], [entry("i", old)]], awaited],
    ["that never comes is given up", [{}, [], [], "2026-11-21T10:02:00.000Z"], none],
    ["of which there are two belongs to nobody", [{}, [], [entry("n"), entry("m")]], awaited],
    ["that was not taken over is not awaited", [{ digest: undefined, failed: true }, [], []], none],
  ])("%s", (_, given, expected) => {
    expect(after(...given)).toEqual(expected);
  });

  it("keeps the time of our own change, and takes the platform's where it was sent again", () => {
    const target = (updatedAt: string | undefined) => sentTo({ digest: "d", id: "o", updatedAt }, { before: ["o"] });
    const listed = () => [entry("o", { ...own, updatedAt: NOW })];
    expect(readBack(target(SENT), listed, isSecret, new Date(NOW)).variables).toMatchObject([{ updatedAt: SENT }]);
    expect(readBack(target(undefined), listed, isSecret, new Date(NOW)).variables).toMatchObject([{ updatedAt: NOW }]);
  });

  const made: KnownVariable = { key: "K", id: "n", created: true, updatedAt: SENT };
  const known = { digest: "d" };
  const changed = { isSecret: true, updatedAt: NOW };

  it.each<[string, Partial<ListedVariable>, Partial<KnownVariable>, writtenAt: string | undefined, KnownVariable]>([
    ["that is a secret holds what was sent", { isSecret: true }, { sent: "d" }, SENT, { ...made, ...known }],
    ["that is no secret can be sent again", {}, { sent: "d" }, undefined, made],
    ["that somebody changed since", changed, { sent: "d" }, undefined, { ...made, updatedAt: NOW }],
    ["of which nobody knows what was sent may hold anything", { isSecret: true }, {}, undefined, made],
  ])("of an import without an answer %s", (_, listed, noted, writtenAt, variable) => {
    const found = readBack(sentTo(noted), () => [entry("n", listed)], isSecret, new Date(NOW));
    const at = { sentAt: SENT, ...(writtenAt !== undefined && { writtenAt }) };
    expect(found).toEqual({ applicationId: "a", ...at, variables: [variable] });
  });

  it("keeps what was sent for as long as it may land", () => {
    const at = (now: string) => readBack(sentTo({ sent: "d" }), () => [], isSecret, new Date(now)).variables;
    expect(at(NOW)).toEqual([{ key: "K", sent: "d" }]);
    expect(at("2026-11-21T10:02:00.000Z")).toEqual([{ key: "K" }]);
  });

  it("is not looked for where nothing was sent", () => {
    const target: KnownTarget = { applicationId: "a", variables: [{ key: "K", id: "o", created: true }] };
    expect(readBack(target, () => [], isSecret, new Date(NOW))).toBe(target);
  });
});
