/** The operator's kinds, which throw at a place and for an object that a test sets. */
import type { Kind, KindTypes } from "../../../src/engine/contract/kind.ts";
import { bind, type Bound } from "../../../src/engine/reconcile/engine.ts";
import { createKinds } from "../../../src/kinds/index.ts";
import type { Platform } from "../../../src/platform/index.ts";

export const PLACES = ["observe", "plan", "report"] as const;

/** The place at which the reconcile of an object throws; none while `where` is undefined. */
export interface Tear {
  where: (typeof PLACES)[number] | undefined;
  readonly kind: string;
  /** The name of the custom resource. */
  readonly name: string;
}

/** @returns all kinds, as `boundKinds` does. */
export function tornKinds(tear: Tear): readonly Bound<Platform>[] {
  return Object.values(createKinds()).map((kind) => torn(kind, tear));
}

function torn<K extends KindTypes & { readonly api: Platform }>(kind: Kind<K>, tear: Tear): Bound<Platform> {
  const pass = (where: Tear["where"], name: string): void => {
    if (tear.kind === kind.resource.kind && tear.name === name && tear.where === where) {
      throw new TypeError(`${kind.resource.kind} throws in ${String(where)}`);
    }
  };
  return bind({
    ...kind,
    observe: async (what, api) => {
      pass("observe", what.resource.name);
      return await kind.observe(what, api);
    },
    plan: (what, observed) => {
      pass("plan", what.resource.name);
      return kind.plan(what, observed);
    },
    report: (what, observed) => {
      pass("report", what.resource.name);
      return kind.report(what, observed);
    },
  });
}
