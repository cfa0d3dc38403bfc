/** The commands `history`, `deploy` and `rollback`: the deployments of an application, past and new. */
import { isPaused } from "../../api/paused.ts";
import { ageOf } from "../../console/tree/labels.ts";
import { platformApplication } from "../../kinds/application/crd.ts";
import { durationText } from "../../kinds/service/messages.ts";
import { listMember, member, stringMember } from "../../kube/api/json.ts";
import { objectPath } from "../../kube/api/paths.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Call } from "../base/call.ts";
import { type ClusterClient, typeOf, USER_FIELD_MANAGER } from "../base/cluster.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { print, type View } from "../base/render.ts";
import { refusePaused, requestAndWait } from "./reconcile.ts";

const KINDS = [platformApplication.kind];

/** One deployment; `number` counts back from the last one, which is 0. */
type Deployment = ReturnType<typeof deploymentsOf>[number];

/** Returns the deployments of an application, the last one first. */
function deploymentsOf({ status }: KubeObject) {
  const last = member(status, "lastDeployment");
  const all = [...(last === undefined ? [] : [last]), ...listMember(status, "history")];
  return all.map((one: Json, number) => {
    const seconds = member(one, "seconds");
    return {
      number,
      commit: stringMember(one, "gitCommitId") ?? stringMember(one, "commit") ?? "",
      state: stringMember(one, "state") ?? "",
      duration: stringMember(one, "duration") ?? (typeof seconds === "number" ? durationText(seconds) : ""),
      at: stringMember(one, "finishedAt") ?? stringMember(one, "at") ?? stringMember(one, "startedAt") ?? "",
    };
  });
}

export async function historyCommand(call: Call, name: string): Promise<void> {
  const object = await call.object(name, KINDS);
  const nothing = `papp/${object.metadata.name} in namespace ${object.metadata.namespace ?? ""} has no deployments yet.`;
  await print(call, viewOf(call.host.clock.now()), deploymentsOf(object), nothing);
}

function viewOf(now: Date): View<Deployment> {
  return {
    columns: {
      TO: "number",
      COMMIT: ({ commit }) => commit.slice(0, 12),
      RESULT: "state",
      TOOK: "duration",
      AGE: ({ at }) => ageOf(at, now),
    },
    wide: { "FULL-COMMIT": "commit", AT: "at" },
    name: ({ commit }) => commit,
  };
}

interface DeployOptions {
  readonly dryRun?: "server" | undefined;
  readonly wait?: boolean | undefined;
  readonly timeout: number;
}

/** Sets the commit of an application. */
export async function deployCommand(call: Call, name: string, commit: string, options: DeployOptions): Promise<number> {
  return setCommit(call, await call.object(name, KINDS), () => commit, options);
}

/** Sets the commit of an earlier deployment. */
export async function rollbackCommand(
  call: Call,
  name: string,
  { to, ...options }: DeployOptions & { readonly to?: number | undefined },
): Promise<number> {
  const object = await call.object(name, KINDS);
  return setCommit(call, object, () => targetOf(object, to), options);
}

/** Writes spec.deploy.gitCommitId; with `wait`, requests a reconcile and waits for its end. @returns the exit code */
async function setCommit(
  call: Call,
  object: KubeObject,
  choose: () => string,
  options: DeployOptions,
): Promise<number> {
  const { dryRun } = options;
  const waits = options.wait === true && dryRun === undefined;
  if (waits) refusePaused(object, call.program);
  const commit = choose();
  const cluster = await call.cluster();
  for (const warning of warningsOf(object, await ownersOf(cluster, object))) call.report(`Warning: ${warning}`);
  await cluster.patch(object, { spec: { deploy: { gitCommitId: commit } } }, dryRun);
  await call.wrote(object, `spec.deploy.gitCommitId: ${commitOf(object) ?? "none"} → ${commit}`, dryRun);
  return waits ? requestAndWait(call, [object], options.timeout) : EXIT.ok;
}

function commitOf({ spec }: KubeObject): string | undefined {
  return stringMember(member(spec, "deploy"), "gitCommitId");
}

/** @throws CliError, UsageError if there is no deployment to return to */
function targetOf(object: KubeObject, to: number | undefined): string {
  const current = commitOf(object);
  const deployments = deploymentsOf(object);
  const chosen =
    to === undefined
      ? deployments.find(({ commit, state }) => commit !== current && servicePhase(state) === "running")
      : deployments.find(({ number }) => number === to);
  const { name } = object.metadata;
  if (chosen === undefined || chosen.commit === "") {
    if (to !== undefined) throw new UsageError(`The history of papp/${name} has no number ${to}.`);
    throw new CliError(`papp/${name} has no earlier deployment that succeeded. Deploy a commit by its id.`);
  }
  if (chosen.commit === current) throw new CliError(`papp/${name} is at commit ${chosen.commit} already.`);
  return chosen.commit;
}

/** A program that sets a field (Kubernetes: "Field management"). */
interface FieldOwner {
  readonly manager: string;
  /** Apply: by server-side apply; Update: by any other write. */
  readonly operation: string;
}

/** The path of the commit in `managedFields`. */
const COMMIT_FIELD = ["f:spec", "f:deploy", "f:gitCommitId"];

/** Returns the programs that set the commit, without this one. */
async function ownersOf({ client }: ClusterClient, { kind, metadata }: KubeObject): Promise<readonly FieldOwner[]> {
  const { name, namespace = "" } = metadata;
  const answer = await client.request({ method: "GET", path: objectPath(typeOf(kind), { namespace, name }) });
  return listMember(member(answer, "metadata"), "managedFields").flatMap((entry) => {
    const fields = COMMIT_FIELD.reduce<Json | undefined>((at, part) => member(at, part), member(entry, "fieldsV1"));
    const manager = stringMember(entry, "manager") ?? "";
    if (fields === undefined || manager === USER_FIELD_MANAGER) return [];
    return [{ manager, operation: stringMember(entry, "operation") ?? "" }];
  });
}

/** What happens to a commit that another program sets as well, and how to hand the field back. */
const BY_OWNER: readonly (readonly [owner: RegExp, operation: RegExp, what: string])[] = [
  [
    /^argocd-/,
    /./,
    "Argo CD sets this field and will revert it: at once with self-heal, else at the next sync. Change the commit in Git, too.",
  ],
  [
    /^(?:kustomize|helm)-controller$/,
    /./,
    "Flux sets this field and will revert it at its next reconciliation. Change the commit in Git, too, or suspend Flux first.",
  ],
  [
    /^helm$/,
    /^Apply$/,
    "Helm 4 sets this field: the next helm upgrade ends in a conflict. Set the commit in the values of the release and run helm upgrade --force-conflicts, which hands the field back.",
  ],
  [
    /^helm$/,
    /./,
    "Helm 3 sets this field: helm upgrade keeps this commit until the values name another one. Set the commit in the values of the release, too.",
  ],
  [
    /^kubectl-client-side-apply$|^kubectl$/,
    /./,
    "kubectl apply sets this field: the next apply of the manifest reverts it, and kubectl apply --server-side ends in a conflict, which --force-conflicts resolves. Change the manifest, too.",
  ],
];

function warningsOf(object: KubeObject, owners: readonly FieldOwner[]): readonly string[] {
  const policy = stringMember(member(object.spec, "deploy"), "policy");
  const byOwner = owners.flatMap(
    ({ manager, operation }) =>
      BY_OWNER.find(([owner, how]) => owner.test(manager) && how.test(operation))?.[2] ??
      (operation === "Apply"
        ? `${manager} sets this field by server-side apply: its next apply ends in a conflict, or reverts the commit.`
        : []),
  );
  return [
    ...new Set(byOwner),
    ...(isPaused(object) ? ["it is paused: the operator deploys nothing until it is resumed."] : []),
    ...(policy === "Manual" ? ["spec.deploy.policy is Manual: the operator does not deploy the commit itself."] : []),
  ];
}
