/** The operator's kinds, which throw in a method and for an object that a test selects. */
import type { Kind, KindTypes } from "../../../src/engine/contract/kind.ts";
import { bind, type Bound } from "../../../src/engine/reconcile/bind.ts";
import { createKinds } from "../../../src/kinds/index.ts";
import type { Platform } from "../../../src/platform/index.ts";

export const PLACES = ["observe", "plan", "report"] as const;

/** The method in which the reconcile of an object throws; none while `where` is undefined. */
export interface Failure {
  where: (typeof PLACES)[number] | undefined;
  readonly kind: string;
  /** The name of the custom resource. */
  readonly name: string;
}

/** @returns all kinds, as `boundKinds` does. */
export function throwingKinds(failure: Failure): readonly Bound<Platform>[] {
  return Object.values(createKinds()).map((kind) => throwing(kind, failure));
}

function throwing<K extends KindTypes & { readonly api: Platform }>(kind: Kind<K>, failure: Failure): Bound<Platform> {
  const enter = (where: Failure["where"], name: string): void => {
    if (failure.kind === kind.resource.kind && failure.name === name && failure.where === where) {
      throw new TypeError(`${kind.resource.kind} throws in ${String(where)}`);
    }
  };
  return bind({
    ...kind,
    observe: async (what, api) => {
      enter("observe", what.resource.name);
      return await kind.observe(what, api);
    },
    plan: (what, observed) => {
      enter("plan", what.resource.name);
      return kind.plan(what, observed);
    },
    report: (what, observed) => {
      enter("report", what.resource.name);
      return kind.report(what, observed);
    },
  });
}
