/** The command `move`: hands an object of the platform to a resource in another namespace. */
import { EXTERNAL_ID, GROUP, MOVE_TO, PAUSED } from "../../api/names.ts";
import { isPaused } from "../../api/paused.ts";
import { abortableSleep } from "../../kube/api/clock.ts";
import { isObject, member, stringMember } from "../../kube/api/json.ts";
import { collectionPath, objectPath } from "../../kube/api/paths.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { type ClusterClient, typeOf, USER_FIELD_MANAGER } from "../base/cluster.ts";
import { type Call, command } from "../base/command.ts";
import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { fullName, parseTarget, shortTarget, TARGET } from "../base/targets.ts";
import { requestAndWait, WAIT_FOR_READY } from "./reconcile.ts";
import { applierOf } from "./shared/applier.ts";

const POLL_MS = 500;

export const moveCommand = command({
  asks: "platform",
  args: [TARGET],
  flags: {
    to: { is: "text", value: "NAMESPACE", about: "the namespace to move it to" },
    "dry-run": { is: "switch", about: "have the API server check each step, and store nothing" },
    ...WAIT_FOR_READY,
  },
  details:
    "Creates the same resource there, paused; deletes the one here under deletionPolicy Retain, so that the platform\n" +
    "keeps the object; then resumes the new one, which adopts it. To finish a move that was interrupted, repeat the\n" +
    "command. The other namespace needs a connection to the same organization, and the Secrets that the spec refers to.",
  run: async (call) => {
    const { args, flags, io } = call;
    const { kind, name } = parseTarget(args.object);
    const cluster = await call.cluster();
    const { to } = flags;
    if (to === undefined || to === cluster.namespace) throw new UsageError("Name another namespace with --to.");
    const old = await cluster.find(kind, name);
    const copy = await cluster.find(kind, name, to);
    if (old !== undefined) await handOver(call, { cluster, old, copy, to, dryRun: flags["dry-run"] });
    else if (copy === undefined || !isWaiting(copy)) await cluster.get(kind, name);
    const done = flags["dry-run"] ? " (dry run)" : "";
    io.stdout.write(`${fullName({ kind, name })} moved from namespace "${cluster.namespace}" to "${to}"${done}\n`);
    if (flags["dry-run"]) return EXIT.ok;
    const moved = await cluster.get(kind, name, to);
    await cluster.patch(moved, { metadata: { annotations: { [PAUSED]: null } } });
    return flags.wait ? await requestAndWait(call, [moved], flags.timeout) : EXIT.ok;
  },
});

interface Move {
  readonly cluster: ClusterClient;
  readonly old: KubeObject;
  /** The resource of the same name in the other namespace, if an earlier move created it. */
  readonly copy: KubeObject | undefined;
  readonly to: string;
  readonly dryRun: boolean;
}

/** Creates the copy and deletes the old resource. @throws CliError where the move is refused, KubeError */
async function handOver(call: Call<unknown, { readonly timeout: number }>, move: Move): Promise<void> {
  const { cluster, old, copy, to, dryRun } = move;
  const target = shortTarget({ kind: old.kind, name: old.metadata.name });
  const id = stringMember(old.status, "externalId");
  if (id === undefined) throw new CliError(`${target} has no object on the platform yet: there is nothing to move.`);
  if (isPaused(old)) throw new CliError(`${target} is paused. Resume it first.`);
  if (copy !== undefined && copy.metadata.annotations?.[EXTERNAL_ID] !== id) {
    throw new CliError(`${target} exists in namespace "${to}" already, and is not ${id}.`);
  }
  const query = dryRun ? ({ dryRun: "All" } as const) : {};
  const change = { metadata: { annotations: { [MOVE_TO]: to } }, spec: { lifecycle: { deletionPolicy: "Retain" } } };
  const applier = applierOf(await cluster.patch(old, change, { dryRun: "All" }));
  if (applier !== undefined) {
    throw new CliError(
      `${applier} applies ${target} and would create it again: move it in its source, as the guide says.`,
    );
  }
  const type = typeOf(old.kind);
  if (copy === undefined) {
    const body = await copyOf(cluster, old, to);
    const path = collectionPath(type, to);
    await cluster.client.request({ method: "POST", path, body, query: { fieldManager: USER_FIELD_MANAGER, ...query } });
  }
  await cluster.patch(old, change, query);
  const path = objectPath(type, { namespace: old.metadata.namespace ?? "", name: old.metadata.name });
  // The options in the body take the place of those in the query.
  const body = { preconditions: { uid: old.metadata.uid }, ...(dryRun && { dryRun: ["All"] }) };
  await cluster.client.request({ method: "DELETE", path, body });
  if (!dryRun) await waitGone(call, cluster, old);
}

/** Reports whether a resource was created by a move that was interrupted. */
function isWaiting(object: KubeObject): boolean {
  return (
    isPaused(object) &&
    object.metadata.annotations?.[EXTERNAL_ID] !== undefined &&
    stringMember(object.status, "externalId") === undefined
  );
}

/** Returns the resource as it is created in the other namespace: paused, with the id as a claim. */
async function copyOf(cluster: ClusterClient, old: KubeObject, to: string): Promise<JsonObject> {
  const { apiVersion, kind, metadata } = old;
  const ours = `${GROUP}/`;
  const kept = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !key.startsWith(ours) && key !== "kubectl.kubernetes.io/last-applied-configuration",
  );
  const annotations = {
    ...Object.fromEntries(kept),
    [EXTERNAL_ID]: stringMember(old.status, "externalId"),
    [PAUSED]: "true",
  };
  const labels = { ...metadata.labels };
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: to, labels, annotations },
    spec: await specOf(cluster, old, to),
  };
}

/** The references to a parent, and the kinds that they name. */
const PARENTS = { projectRef: "PlatformProject", environmentRef: "PlatformEnvironment" } as const;

/** Returns the spec; a parent that is not in the other namespace under its name is named by its id. */
async function specOf(cluster: ClusterClient, old: KubeObject, to: string): Promise<Json | undefined> {
  const { spec } = old;
  const parentId = stringMember(member(old.status, "identity"), "parentId");
  if (!isObject(spec) || parentId === undefined) return spec;
  const changed: Record<string, Json | undefined> = { ...spec };
  for (const [field, kind] of Object.entries(PARENTS)) {
    const name = stringMember(spec[field], "name");
    if (name === undefined) continue;
    if ((await cluster.find(kind, name, to)) === undefined) changed[field] = { externalId: parentId };
  }
  return changed;
}

/** Waits until the operator has let the old resource go. @throws CliError when the time is over */
async function waitGone(
  { host, flags, program }: Call<unknown, { readonly timeout: number }>,
  cluster: ClusterClient,
  { kind, metadata }: KubeObject,
): Promise<void> {
  const until = host.clock.monotonic() + flags.timeout;
  const interrupt = host.interrupt();
  while ((await cluster.find(kind, metadata.name))?.metadata.uid === metadata.uid) {
    if (host.clock.monotonic() < until && (await abortableSleep(host.clock, POLL_MS, interrupt))) continue;
    throw new CliError(
      `${shortTarget({ kind, name: metadata.name })} is still being deleted. Look at it with "${program} status", then repeat the move.`,
    );
  }
}
