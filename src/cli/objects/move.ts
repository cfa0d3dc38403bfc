/** The command `move`: hands an object of the platform to a resource in another namespace, or of another installation. */
import { EXTERNAL_ID, PAUSED, RESOLVE } from "../../api/names.ts";
import { isPaused } from "../../api/paused.ts";
import { conditionView } from "../../console/tree/facts.ts";
import { member, stringMember } from "../../kube/api/json.ts";
import { NAMESPACE, objectPath } from "../../kube/api/paths.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { command, opener } from "../base/command.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { fullName, parseTarget, TARGET } from "../base/targets.ts";
import { handOver, type MoveCall, recordedBy } from "./handover.ts";
import { WAIT_FOR_READY, waitForResults } from "./reconcile.ts";

export const moveCommand = command({
  asks: "platform",
  args: [TARGET],
  flags: {
    to: { is: "text", value: "NAMESPACE", about: "target namespace" },
    "to-installation": {
      is: "text",
      value: "CONTEXT",
      about: "context of the cluster whose operator takes over the object",
    },
    "dry-run": { is: "switch", about: "send every step to the API server as a dry run" },
    ...WAIT_FOR_READY,
  },
  details:
    "Creates the same resource at the target, paused; deletes the source under deletionPolicy Retain, so that the object\n" +
    "stays on the platform; then resumes the new resource, which adopts it. To finish an interrupted move, repeat the\n" +
    "command. The target namespace needs a connection to the same organization, and the Secrets that the spec refers to.\n" +
    "With --to-installation, the source is set to ObserveOnly before it is deleted, so that two operators never write to\n" +
    "one object. A resource that a backup restored at the target is replaced by the source.",
  run: async (call) => {
    const { to, "to-installation": context } = call.flags;
    const cluster = await call.cluster();
    const { namespace } = cluster;
    if (context === undefined) {
      if (to === undefined || to === namespace) throw new UsageError("Name another namespace with --to.");
      return await move(call, { there: call, to, where: `from namespace "${namespace}" to "${to}"` });
    }
    const other = opener({ ...call.shared, context, namespace: to ?? namespace }, call.host);
    try {
      const there = { ...call, ...other.ports };
      const target = await there.cluster();
      const installation = await installationOf(cluster);
      if (installation === (await installationOf(target))) {
        throw new CliError(
          `Context "${context}" is the same installation: its kube-system namespace has the same uid.`,
        );
      }
      const where = `to namespace "${target.namespace}" of context "${context}"`;
      return await move(call, { there, to: target.namespace, where, installation });
    } finally {
      await other.close();
    }
  },
});

/** Returns the installation of a cluster. @throws KubeError, also if the user may not read it */
async function installationOf({ client }: ClusterClient): Promise<string> {
  const path = objectPath(NAMESPACE, { namespace: "", name: "kube-system" });
  return stringMember(member(await client.request({ method: "GET", path }), "metadata"), "uid") ?? "";
}

interface Destination {
  /** The same call in the target cluster. */
  readonly there: MoveCall;
  readonly to: string;
  /** The source and the target as a phrase for the output. */
  readonly where: string;
  /** The installation of the source; undefined for a move within it. */
  readonly installation?: string;
}

/** Moves an object, or finishes a move. @returns the exit code */
async function move(call: MoveCall, { there, to, where, installation }: Destination): Promise<number> {
  const { args, flags, io } = call;
  const { kind, name } = parseTarget(args.object);
  const cluster = await call.cluster();
  const target = await there.cluster();
  const old = await cluster.find(kind, name);
  const copy = await target.find(kind, name, to);
  if (old !== undefined) await handOver(call, { cluster, target, old, copy, to, installation });
  else if (copy === undefined || !isWaiting(copy, installation)) await cluster.get(kind, name);
  io.stdout.write(`${fullName({ kind, name })} moved ${where}${flags["dry-run"] ? " (dry run)" : ""}\n`);
  if (flags["dry-run"]) return EXIT.ok;
  const moved = await target.get(kind, name, to);
  const consent = installation === undefined ? {} : { [RESOLVE]: "adopt" };
  await target.patch(moved, { metadata: { annotations: { [PAUSED]: null, ...consent } } });
  // It requests no reconcile: a request deploys a database whose state the platform does not show.
  return flags.wait ? await waitForResults(there, [moved], flags.timeout, isHandled) : EXIT.ok;
}

/** Reports whether a resource waits for the end of a move that was interrupted. */
function isWaiting(object: KubeObject, installation: string | undefined): boolean {
  if (installation !== undefined) return recordedBy(object) === installation;
  return (
    isPaused(object) &&
    object.metadata.annotations?.[EXTERNAL_ID] !== undefined &&
    stringMember(object.status, "externalId") === undefined
  );
}

/** Reports whether the operator has read the consent to adopt: until then, it can be Stalled as ForeignLedger. */
function isHandled(object: KubeObject): boolean {
  return conditionView(object, "Stalled")?.reason !== "ForeignLedger";
}
