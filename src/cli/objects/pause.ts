/** The commands `pause` and `resume`. */
import { PAUSED } from "../../api/names.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Cluster } from "../base/cluster.ts";
import { command, type Call } from "../base/command.ts";
import { EXIT } from "../base/exit.ts";
import { requestAndWait, WAIT_FOR_READY } from "./reconcile.ts";
import { annotate } from "./shared/edit.ts";
import { fullName, targetOf, TARGETS } from "./shared/target.ts";

export const pause = command({
  asks: "cluster",
  args: [TARGETS],
  details: "The operator leaves paused objects and what they describe alone, but for their deletion.",
  run: async ({ cluster, args, io }) => {
    await setPaused(true, { cluster: await cluster(), io }, args.object);
  },
});

export const resume = command({
  asks: "platform",
  args: [TARGETS],
  flags: WAIT_FOR_READY,
  details: "With --wait, the operator is asked to look at them now, as reconcile --wait does.",
  run: async (call) => {
    const cluster = await call.cluster();
    const objects = await setPaused(false, { cluster, io: call.io }, call.args.object);
    return call.flags.wait ? await requestAndWait(call, cluster, objects, call.flags.timeout) : EXIT.ok;
  },
});

/** @returns the objects as they were */
async function setPaused(
  paused: boolean,
  { cluster, io }: Pick<Call, "io"> & { readonly cluster: Cluster },
  names: readonly string[],
): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const target of names.map(targetOf)) {
    const object = await cluster.get(target.kind, target.name);
    const isPaused = object.metadata.annotations?.[PAUSED] === "true";
    if (isPaused !== paused) await annotate(cluster, object, { [PAUSED]: paused ? "true" : null });
    const done = paused ? "paused" : "resumed";
    io.stdout.write(`${fullName(target)} ${isPaused === paused ? `${done} already` : done}\n`);
    objects.push(object);
  }
  return objects;
}
