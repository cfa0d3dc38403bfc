/** The command `events`: what happened to custom resources. */
import { API_VERSION } from "../../api/names.ts";
import { ageOf } from "../../console/tree/duration.ts";
import { command } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { ALL_NAMESPACES } from "../base/globals.ts";
import { printList, type View } from "../base/render.ts";
import { eventsOf, latestFirst, listEvents } from "./shared/events.ts";
import { fullName, parseTarget, shortTarget } from "./shared/target.ts";

/** The most events that are shown; the API server keeps them for an hour unless it is told otherwise. */
const MOST = 500;

export const eventsCommand = command({
  asks: "cluster",
  args: [{ name: "object", about: "kind and name, e.g. papp/api; all objects when left out", optional: true }],
  flags: {
    type: { is: "text", value: "TYPE", choices: ["Normal", "Warning"], about: "those of this type alone" },
    ...ALL_NAMESPACES,
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  details: "The last one comes first. Events of connections of the whole cluster are in the namespace default.",
  run: async (call) => {
    const { args, flags, host } = call;
    const target = args.object === undefined ? undefined : parseTarget(args.object);
    const cluster = await call.cluster();
    const namespace = flags["all-namespaces"] ? "" : cluster.namespace;
    const fieldSelector = `involvedObject.apiVersion=${API_VERSION}`;
    const events =
      target === undefined
        ? latestFirst(await listEvents(cluster, namespace, { fieldSelector, limit: MOST }))
        : await eventsOf(cluster, await cluster.get(target.kind, target.name));
    if (events === undefined) throw new CliError("You may not list events in this namespace.");
    const shown = events.filter(({ type }) => flags.type === undefined || type === flags.type);
    await printList(call, viewOf(host.clock.now(), namespace === ""), shown);
  },
});

function viewOf(now: Date, everywhere: boolean): View<ReturnType<typeof latestFirst>[number]> {
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
