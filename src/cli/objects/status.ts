/** The command `status`: one object on one screen. */
import { conditionsOf, factOf } from "../../console/tree/facts.ts";
import { command } from "../base/command.ts";
import { printData } from "../base/render.ts";
import { eventsOf } from "./shared/events.ts";
import { planOf } from "./shared/plan-view.ts";
import { summaryOf } from "./shared/summary.ts";
import { fullName, TARGET, targetOf } from "./shared/target.ts";

export const status = command({
  asks: "cluster",
  args: [TARGET],
  formats: ["table", "json", "yaml", "name"],
  run: async ({ cluster: open, args, output, io, host, program }) => {
    const target = targetOf(args.object);
    const cluster = await open();
    const object = await cluster.get(target.kind, target.name);
    if (output === "name") {
      io.stdout.write(`${fullName(target)}\n`);
      return;
    }
    const events = await eventsOf(cluster, object);
    if (output === "json" || output === "yaml") {
      const { kind, metadata } = object;
      const { mark, state, externalId } = factOf(object);
      const { name, namespace } = metadata;
      await printData({ io }, output, {
        kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        status: mark,
        state,
        externalId,
        conditions: conditionsOf(object),
        plan: planOf(object) ?? null,
        events: events ?? null,
      });
      return;
    }
    const lines = summaryOf({ object, events, now: host.clock.now(), program });
    io.stdout.write(`${lines.join("\n")}\n`);
  },
});
