/** The commands `pause` and `resume`. */
import { PAUSED } from "../../resources/base/names.ts";
import { command } from "../command.ts";
import { annotate } from "./edit.ts";
import { fullName, targetOf, TARGETS } from "./target.ts";

export const pause = command({
  asks: "cluster",
  args: [TARGETS],
  details: "The operator leaves paused objects and what they describe alone, but for their deletion.",
  run: ({ cluster, args, io }) => setPaused(true, { cluster, objects: args.object, io }),
});

export const resume = command({
  asks: "cluster",
  args: [TARGETS],
  run: ({ cluster, args, io }) => setPaused(false, { cluster, objects: args.object, io }),
});

interface Paused extends Pick<Parameters<Parameters<typeof command>[0]["run"]>[0], "cluster" | "io"> {
  readonly objects: readonly string[];
}

async function setPaused(paused: boolean, { cluster: open, objects, io }: Paused): Promise<void> {
  const targets = objects.map(targetOf);
  const cluster = await open();
  for (const target of targets) {
    const object = await cluster.get(target.kind, target.name);
    const isPaused = object.metadata.annotations?.[PAUSED] === "true";
    if (isPaused !== paused) await annotate(cluster, object, { [PAUSED]: paused ? "true" : null });
    const done = paused ? "paused" : "resumed";
    io.stdout.write(`${fullName(target)} ${isPaused === paused ? `${done} already` : done}\n`);
  }
}
