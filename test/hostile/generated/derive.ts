/** What follows for a kind from its schema and from the platform's operations: parts of its seed, and of its entries. */
import { operations } from "../../../simulator/base/operations.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import type { Leaf } from "./leaves.ts";
import {
  always,
  everywhere,
  local,
  reported,
  unchangeable,
  sent,
  type Draft,
  type Entry,
  type Fixture,
  type Outcome,
  type TestedKind,
} from "./outcomes.ts";

/** A lifecycle with every member that allows every operation. */
export const LIFECYCLE: JsonObject = {
  managementPolicy: "Manage",
  adoptionPolicy: "IfUniqueName",
  onMissing: "Fail",
  driftPolicy: "Correct",
  applyPolicy: "Automatic",
  retry: { limit: 1, backoff: "5m" },
  progressDeadline: "1h",
  deletionPolicy: "Retain",
};

const POLICY = local("a policy of the operator: which operations it may do, and when");
const whenCreated = (to: Json, created: Outcome): Draft => ({ to, created });

/** The members of a lifecycle, whose outcome is POLICY unless they say otherwise. */
const POLICIES: Readonly<Record<string, Draft>> = {
  managementPolicy: whenCreated("ObserveOnly", reported("NotCreated", "nothing is written under it")),
  adoptionPolicy: whenCreated("Required", reported("DependencyNotReady", "nothing is created under it")),
  onMissing: { to: "Recreate" },
  driftPolicy: { to: "Report" },
  applyPolicy: whenCreated("Manual", reported("ApprovalPending", "nothing is written before it is approved")),
  "retry.limit": { to: 3 },
  "retry.backoff": { to: "1h30m" },
  progressDeadline: { to: "2h" },
};

/** @returns the seed of a kind, with the members that kinds have in common */
export function seedOf({ spec, cases }: TestedKind, fixture: Fixture, name: string): JsonObject {
  const { connectionRef, lifecycle } = spec.properties ?? {};
  const policies = Object.entries(LIFECYCLE).filter(([member]) => member in (lifecycle?.properties ?? {}));
  return {
    ...(connectionRef !== undefined && { connectionRef: { name: fixture.name } }),
    ...(lifecycle !== undefined && { lifecycle: Object.fromEntries(policies) }),
    ...cases.seed(fixture, name),
  };
}

interface Basis {
  readonly kind: TestedKind;
  readonly fixture: Fixture;
  readonly name: string;
  readonly seed: JsonObject;
}

/** @returns the entry of a leaf: what its kind says of it, completed; undefined when that is not enough */
export function entryOf(basis: Basis, leaf: Leaf, own: Draft = {}): Entry | undefined {
  const lock = lockOf(basis, leaf);
  const draft = own.to === undefined ? { ...sharedDraft(basis, leaf, lock), ...own } : own;
  const { to, as = to, ...rest } = draft;
  if (to === undefined || as === undefined) return undefined;
  const { full, documented, created, ...more } = {
    ...settingOutcomes(basis.kind, as),
    ...rest,
    ...(lock !== undefined && { full: lock, documented: lock }),
  };
  if (full === undefined || documented === undefined || created === undefined) return undefined;
  return { to, full, documented, created, ...more };
}

/** The outcomes of a setting: the operations of its kind carry it. */
function settingOutcomes({ kind, cases: { by } }: TestedKind, as: Json): Partial<Entry> {
  if (by !== undefined) return everywhere(sent(by, as));
  const [create, update] = ["create", "update"].map((verb) =>
    operations.find(({ id }) => id === kind.replace("Platform", verb)),
  );
  if (create === undefined) return {};
  const kept = unchangeable("the surface has no update of it; the documented one has none at all");
  return {
    full: update === undefined ? kept : sent(update.id, as),
    documented: kept,
    created: sent(create.id, as),
  };
}

const FROZEN = "spec cannot be changed";

/** @returns the outcome of a leaf that a rule of the schema protects */
function lockOf({ kind: { rules, spec }, seed }: Basis, { segments: [first] }: Leaf): Outcome | undefined {
  const member = typeof first === "object" ? first.member : "";
  const messages = [...rules, ...(spec["x-kubernetes-validations"] ?? [])].map(({ message }) => message);
  // A rule of the whole object names no field: the refusal begins with its reason.
  if (messages.some((message) => message.startsWith(FROZEN))) return { is: "locked", at: "422 Invalid;" };
  const isLocked = messages.some((message) => message.startsWith(`spec.${member} cannot be changed`));
  return isLocked && member in seed ? { is: "locked", at: `spec.${member}` } : undefined;
}

function sharedDraft(basis: Basis, leaf: Leaf, lock: Outcome | undefined): Draft {
  const { path } = leaf;
  const [, isDefault, policy] = /^(defaults\.)?lifecycle\.(.+)$/.exec(path) ?? [];
  const [, parent, by] = /^(project|environment|cluster)Ref\.(name|externalId)$/.exec(path) ?? [];
  if (policy !== undefined) return policyDraft(leaf, policy, isDefault !== undefined);
  if (parent !== undefined && lock !== undefined) return parentDraft(basis, parent, by === "name");
  if (path.startsWith("connectionRef.")) return connectionDraft(basis, path);
  if (path === "name") return { to: `${basis.name} renamed` };
  if (path !== "externalId") return {};
  const { kind, fixture, name } = basis;
  return {
    ...always(fixture.id(kind.kind, name), local("an existing object is adopted by its id, which only reads carry")),
    created: reported("AlreadyManaged", "an object of the platform belongs to one resource"),
    oneWay: true,
  };
}

/** A member of a reference to a parent: another one of the lane. */
function parentDraft({ fixture }: Basis, parent: string, isName: boolean): Draft {
  const other = `${fixture.name}-other`;
  const id = fixture.id(`Platform${parent.charAt(0).toUpperCase()}${parent.slice(1)}`, other);
  return { to: isName ? other : id, as: id };
}

function connectionDraft({ kind: { spec }, fixture }: Basis, path: string): Draft {
  const members = spec.properties ?? {};
  const isChild = ["projectRef", "environmentRef", "applicationRef", "targets"].some((member) => member in members);
  const ofParent = reported("InvalidSpec", "a child uses the connection of its parent");
  if (path === "connectionRef.name") {
    const another = local("another connection to the same organization works as well");
    return always(`${fixture.name}-twin`, isChild ? ofParent : another);
  }
  const missing = reported("ConnectionNotReady", "no connection of that kind has the name");
  return always("ClusterPlatformConnection", isChild ? ofParent : missing);
}

/** @param isDefault whether it is a connection's default for the objects that use it */
function policyDraft({ schema }: Leaf, policy: string, isDefault: boolean): Draft {
  const deletion = ["Stop", "Delete", "Retain"].find((value) => schema.enum?.includes(value));
  const { to, ...outcomes } = policy === "deletionPolicy" ? { to: deletion } : (POLICIES[policy] ?? {});
  if (to === undefined) return {};
  return isDefault
    ? always(to, local("a default for objects that do not set it"))
    : { ...always(to, POLICY), ...outcomes };
}
