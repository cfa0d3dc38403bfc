/** The commands `history` and `rollback`: list the deployments of an application, and return to one of them. */
import { isPaused } from "../../api/paused.ts";
import { ageOf } from "../../console/tree/labels.ts";
import { platformApplication } from "../../kinds/application/crd.ts";
import { durationText } from "../../kinds/service/messages.ts";
import { listMember, member, stringMember } from "../../kube/api/json.ts";
import type { Json, KubeObject } from "../../kube/api/types.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { printable } from "../../text/text.ts";
import { command } from "../base/command.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { print, type View } from "../base/render.ts";
import { fullName } from "../base/targets.ts";
import { refusePaused, requestAndWait, WAIT_FOR_READY } from "./reconcile.ts";

const APPLICATION = { name: "application", about: "a PlatformApplication, e.g. papp/api" } as const;
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

export const historyCommand = command({
  asks: "cluster",
  args: [APPLICATION],
  formats: ["table", "wide", "json", "yaml", "name"],
  details: "rollback --to takes these numbers. The object's status keeps up to eleven deployments.",
  run: async (call) => {
    const object = await call.object(call.args.application, KINDS);
    await print(call, viewOf(call.host.clock.now()), deploymentsOf(object));
  },
});

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

export const rollbackCommand = command({
  asks: "platform",
  args: [APPLICATION],
  flags: {
    to: {
      type: "count",
      value: "N",
      min: 1,
      about: "number of the deployment in history; defaults to the last other commit that ran",
    },
    "dry-run": { type: "switch", about: "send the change to the API server as a dry run" },
    ...WAIT_FOR_READY,
  },
  details:
    "Writes spec.deploy.gitCommitId; with --wait, also requests a reconcile, as reconcile --wait does. Change the manifest\n" +
    "in its source as well: a tool that applies it again, e.g. Argo CD, reverts the commit.",
  run: async (call) => {
    const { flags, io, report } = call;
    const object = await call.object(call.args.application, KINDS);
    const waits = flags.wait && !flags["dry-run"];
    if (waits) refusePaused(object, call.program);
    const current = stringMember(member(object.spec, "deploy"), "gitCommitId");
    const commit = targetOf(object, current, flags.to);
    const change = { spec: { deploy: { gitCommitId: commit } } };
    const answer = await (await call.cluster()).patch(object, change, flags["dry-run"] ? { dryRun: "All" } : {});
    for (const warning of warningsOf(object, answer)) report(`Warning: ${warning}`);
    const target = fullName({ kind: object.kind, name: object.metadata.name });
    const done = `spec.deploy.gitCommitId: ${current ?? "none"} → ${commit}`;
    io.stdout.write(`${target} ${printable(done)}${flags["dry-run"] ? " (dry run)" : ""}\n`);
    return waits ? await requestAndWait(call, [object], flags.timeout) : EXIT.ok;
  },
});

/** @param current the commit of the spec @throws CliError, UsageError if there is no deployment to return to */
function targetOf(object: KubeObject, current: string | undefined, to: number | undefined): string {
  const deployments = deploymentsOf(object);
  const chosen =
    to === undefined
      ? deployments.find(({ commit, state }) => commit !== current && servicePhase(state) === "running")
      : deployments.find(({ number }) => number === to);
  const { name } = object.metadata;
  if (chosen === undefined || chosen.commit === "") {
    if (to !== undefined) throw new UsageError(`The history of papp/${name} has no number ${to}.`);
    throw new CliError(`papp/${name} has no earlier deployment that succeeded. Name a commit in its manifest.`);
  }
  if (chosen.commit === current) throw new CliError(`papp/${name} is at commit ${chosen.commit} already.`);
  return chosen.commit;
}

/** Programs that apply manifests from another source, by their field manager. */
const APPLIERS: readonly (readonly [manager: string, name: string])[] = [
  ["argocd-controller", "Argo CD"],
  ["kustomize-controller", "Flux"],
  ["helm-controller", "Flux"],
  ["helm", "Helm"],
];

/**
 * Returns the program that applies an object, e.g. "Argo CD".
 * @param answer the API server's answer to a write: the object with its field managers
 */
function applierOf(answer: Json): string | undefined {
  const fields = listMember(member(answer, "metadata"), "managedFields");
  const managers = new Set(fields.map((one) => stringMember(one, "manager")));
  return APPLIERS.find(([manager]) => managers.has(manager))?.[1];
}

/** @param answer the API server's answer, which has the field managers */
function warningsOf(object: KubeObject, answer: Json): readonly string[] {
  const applier = applierOf(answer);
  const policy = stringMember(member(object.spec, "deploy"), "policy");
  return [
    ...(applier === undefined
      ? []
      : [`${applier} applies this object: change the commit in its source as well, or ${applier} reverts it.`]),
    ...(isPaused(object) ? ["it is paused: the operator deploys nothing until it is resumed."] : []),
    ...(policy === "Manual" ? ["spec.deploy.policy is Manual: the operator does not deploy the commit itself."] : []),
  ];
}
