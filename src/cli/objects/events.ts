/** The command `events`: what happened to custom resources. */
import { ageOf } from "../../console/tree/labels.ts";
import { command } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { ALL_NAMESPACES } from "../base/globals.ts";
import { print, type View } from "../base/render.ts";
import { fullName, shortTarget } from "../base/targets.ts";
import { eventsIn, eventsOf, type EventView } from "./shared/events.ts";

/** The largest number of events that are shown; the API server keeps them for an hour by default. */
const MAX_SHOWN = 500;

export const eventsCommand = command({
  asks: "cluster",
  args: [{ name: "object", about: "kind and name, e.g. papp/api; defaults to all objects", optional: true }],
  flags: {
    type: { type: "text", value: "TYPE", choices: ["Normal", "Warning"], about: "only events of this type" },
    ...ALL_NAMESPACES,
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  details: "The newest event comes first. Events of ClusterPlatformConnections are in the namespace default.",
  run: async (call) => {
    const { args, flags, host } = call;
    const cluster = await call.cluster();
    const namespace = flags["all-namespaces"] ? "" : cluster.namespace;
    const object = args.object === undefined ? undefined : await call.object(args.object);
    const events = await (object === undefined ? eventsIn(cluster, namespace) : eventsOf(cluster, object));
    if (events === undefined) throw new CliError("You may not list events in this namespace.");
    const found = events.filter(({ type }) => flags.type === undefined || type === flags.type);
    await print(call, viewOf(host.clock.now(), namespace === ""), found.slice(0, MAX_SHOWN));
    if (found.length > MAX_SHOWN) call.report(`Only the newest ${MAX_SHOWN} of ${found.length} events are shown.`);
  },
});

function viewOf(now: Date, everywhere: boolean): View<EventView> {
  return {
    columns: {
      ...(everywhere ? { NAMESPACE: "namespace" as const } : {}),
      SEEN: ({ at }) => ageOf(at, now),
      TYPE: "type",
      REASON: "reason",
      OBJECT: shortTarget,
      MESSAGE: "message",
    },
    wide: { COUNT: "count", AT: "at" },
    name: fullName,
  };
}
