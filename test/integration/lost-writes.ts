/** Writes that must not be repeated, and their effects on the platform. */
import { expect, vi } from "vitest";

import type { FaultInput } from "../../simulator/request/faults.ts";
import { nonEmptyText } from "../../src/engine/contract/status.ts";
import { member } from "../../src/kube/api/json.ts";
import type { Env } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";

/** Faults after which the operator does not know the outcome of a write. */
export const losses: readonly { readonly what: string; readonly fault: Omit<FaultInput, "match"> }[] = [
  { what: "is applied, but its answer is lost", fault: { effect: "applied", answer: { is: "reset" } } },
  { what: "lands late", fault: { effect: "late", lateSeconds: 1, answer: { is: "reset" } } },
  { what: "is lost before its effect", fault: { effect: "none", answer: { is: "reset" } } },
  { what: "is applied and answered with 502", fault: { effect: "applied", answer: { is: "status", status: 502 } } },
  { what: "is applied and answered with half a body", fault: { effect: "applied", answer: { is: "truncated" } } },
];

/** Waits for the call with the fault; expects no other one. @returns the name of its object */
export async function subjectOf(env: Env, record: Recording, fault: string): Promise<string> {
  const met = () => record.calls().filter((one) => one.fault === fault);
  const wait = { timeout: 20_000, interval: 5 };
  await vi.waitFor(() => expect(met(), `calls that met "${fault}"`).toHaveLength(1), wait);
  const { body, path = "" } = met()[0] ?? {};
  const name = nonEmptyText(member(body, "name")) ?? nameOn(env, path.split("/").at(-2) ?? "");
  return name ?? expect.fail(`no name: ${path}`);
}

/** @returns the ids of the objects of a name that the platform created or deployed in an operation */
export function idsDone(env: Env, record: Recording, operation: string, name: string): readonly string[] {
  const ids = record.calls(operation).flatMap(({ effects }) =>
    effects.flatMap((effect) => {
      if ("created" in effect) return effect.created;
      return "deployed" in effect ? effect.deployed : [];
    }),
  );
  return ids.filter((id) => nameOn(env, id) === name);
}

function nameOn(env: Env, id: string): string | undefined {
  const { projects, environments, services } = env.platform.world();
  return (projects.get(id) ?? environments.get(id) ?? services.get(id))?.name;
}
