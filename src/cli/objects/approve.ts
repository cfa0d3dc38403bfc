/** The command `approve`: lets the plan of an object go. */
import { APPROVED_PLAN } from "../../api/names.ts";
import { printable } from "../../text/text.ts";
import { command } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { annotate } from "./shared/edit.ts";
import { actionLines, planOf } from "./shared/plan-view.ts";
import { fullName, TARGET, targetOf } from "./shared/target.ts";

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
    await annotate(cluster, object, { [APPROVED_PLAN]: plan.hash });
    io.stdout.write(`${fullName(target)} plan ${printable(plan.hash)} approved\n`);
  },
});
