import { expect, it } from "vitest";

import { anObject } from "../../../test/support/engine/objects.ts";
import type { WorkSince } from "../context/local-state.ts";
import type { StatusReason } from "../contract/kind.ts";
import { isOverdue, overdue, workOf } from "./outcome.ts";

const building: StatusReason = { reason: "Building", message: "The platform reports BUILDING." };
const deploying: StatusReason = { reason: "Deploying", message: "The platform reports DEPLOYING." };
const unknown: StatusReason = { reason: "UnknownState", message: "The platform reports UNAVAILABLE." };
const layers: StatusReason = { reason: "LayersNotEnabled", message: "networking is PENDING: Nodes are missing." };
const approval: StatusReason = { reason: "ApprovalPending", message: "A plan waits for approval." };
const [deadlineMs, now] = [100, 1_000];

function stalledFor(why: StatusReason) {
  return { conditions: [{ type: "Stalled", status: "True", ...overdue(why) }] };
}

const since = (at: number, { message }: StatusReason = building): WorkSince => ({ message, since: at });

it.each<[string, StatusReason, WorkSince | undefined, StatusReason | undefined, number | undefined]>([
  ["begins with the first reconcile", building, undefined, undefined, now],
  ["begins with layers that are not there yet", layers, undefined, undefined, now],
  ["goes on while the layers are the same", layers, since(7, layers), undefined, 7],
  ["goes on while the state is the same", building, since(7), undefined, 7],
  ["begins anew with every other state", deploying, since(7), undefined, now],
  ["is overdue if an earlier process reported that", building, undefined, building, now - deadlineMs],
  ["is not overdue if an earlier process reported another state", building, undefined, deploying, now],
  ["begins anew where a state comes back", building, since(7, deploying), building, now],
  ["is overdue if an earlier process reported an unknown state", unknown, undefined, unknown, now - deadlineMs],
  ["is none while nothing is under way", approval, since(7), building, undefined],
])("[C10] the work of the platform that an object waits for %s", (_, why, before, told, expected) => {
  const object = anObject(told === undefined ? {} : { status: stalledFor(told) });
  expect(workOf(object, before, why, { deadlineMs, now })?.since).toBe(expected);
});

it.each([
  ["is overdue at its deadline", deadlineMs, now - deadlineMs, true],
  ["is not overdue before its deadline", deadlineMs, now - deadlineMs + 1, false],
  ["is never overdue without a deadline", 0, 0, false],
])("[C10] work %s", (_title, limit, since, expected) => {
  expect(isOverdue({ message: "", since }, limit, now)).toBe(expected);
});
