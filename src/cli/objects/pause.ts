/** The commands `pause`, `resume` and `approve`: they set annotations. */
import { APPROVED_PLAN, PAUSED } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { printable } from "../../text/text.ts";
import { type Call, command } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { requestAndWait, WAIT_FOR_READY } from "./reconcile.ts";
import { actionLines, planOf } from "./shared/plan-view.ts";
import { fullName, TARGET, targetOf, TARGETS } from "./shared/target.ts";

export const pause = command({
  asks: "cluster",
  args: [TARGETS],
  details: "The operator leaves paused objects and what they describe alone, but for their deletion.",
  run: async (call) => {
    await setPaused(call, true);
  },
});

export const resume = command({
  asks: "platform",
  args: [TARGETS],
  flags: WAIT_FOR_READY,
  details: "With --wait, the operator is asked to look at them now, as reconcile --wait does.",
  run: async (call) => {
    const objects = await setPaused(call, false);
    return call.flags.wait ? await requestAndWait(call, objects, call.flags.timeout) : EXIT.ok;
  },
});

/** @returns the objects as they were before */
async function setPaused(
  { args, io, ...call }: Call<{ readonly object: readonly string[] }>,
  paused: boolean,
): Promise<readonly KubeObject[]> {
  const targets = args.object.map(targetOf);
  const cluster = await call.cluster();
  const objects: KubeObject[] = [];
  for (const target of targets) {
    const object = await cluster.get(target.kind, target.name);
    const isPaused = object.metadata.annotations?.[PAUSED] === "true";
    const annotations = { [PAUSED]: paused ? "true" : null };
    if (isPaused !== paused) await cluster.patch(object, { metadata: { annotations } });
    const done = paused ? "paused" : "resumed";
    io.stdout.write(`${fullName(target)} ${isPaused === paused ? `${done} already` : done}\n`);
    objects.push(object);
  }
  return objects;
}

export const approve = command({
  asks: "cluster",
  args: [TARGET],
  flags: {
    hash: { is: "text", value: "HASH", about: "approve this plan alone: refused when another one is waiting" },
  },
  details: "Shows the plan in status.plan and approves it by its hash: a plan that changes meanwhile is not approved.",
  run: async ({ cluster: open, args, flags, io, tell }) => {
    const target = targetOf(args.object);
    const cluster = await open();
    const object = await cluster.get(target.kind, target.name);
    const plan = planOf(object);
    if (plan === undefined) {
      throw new CliError(`${args.object} has no plan that waits for approval: its status.plan is empty.`);
    }
    for (const line of actionLines(plan.actions)) tell(line);
    if (flags.hash !== undefined && flags.hash !== plan.hash) {
      throw new CliError(`${args.object} has another plan now, ${plan.hash}. Look at it and approve that one.`);
    }
    await cluster.patch(object, { metadata: { annotations: { [APPROVED_PLAN]: plan.hash } } });
    io.stdout.write(`${fullName(target)} plan ${printable(plan.hash)} approved\n`);
  },
});
