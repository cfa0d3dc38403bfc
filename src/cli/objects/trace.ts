/** The command `trace`: an object, the objects that it refers to, and its connection, each with its state. */
import { boundKinds } from "../../config/kinds.ts";
import { MARKS } from "../../console/tree/labels.ts";
import { summaryId, summarize } from "../../console/tree/summary.ts";
import { isKube } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { connectionOf, type NamedObject, readNamed } from "../base/access.ts";
import type { Call } from "../base/call.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { EXIT } from "../base/exit.ts";
import { alignBroken, printAs, wrap } from "../base/render.ts";
import { fullName, shortTarget } from "../base/targets.ts";

/** @returns EXIT.failed if the object, or an object that it refers to, is not Ready */
export async function traceCommand(call: Call, name: string): Promise<number> {
  const cluster = await call.cluster();
  const steps = await stepsFrom(cluster, await call.object(name));
  const cause = steps.findLast(isInTheWay);
  await printAs(call, {
    data: () => ({ steps, ...(cause === undefined ? {} : { waitsFor: fullName(cause) }) }),
    names: () => steps.map(fullName),
    lines: () => [...alignBroken(steps.map(cellsOf)), "", wrap(conclusionOf(steps, cause), 2)],
  });
  return cause === undefined ? EXIT.ok : EXIT.failed;
}

/** One object of the trace, or the name of one that does not exist, or that the user may not read. */
type Step = Readonly<ReturnType<typeof stepOf>>;

function stepOf({ kind, name, found, said = "" }: NamedObject) {
  if (found === undefined)
    return { kind, name, status: "missing" as const, state: "", reason: "NotFound", message: "It does not exist." };
  if (found === "hidden")
    return {
      kind,
      name,
      status: "unknown" as const,
      state: "",
      reason: "Forbidden",
      message: `You may not read it: ${said}`,
    };
  const { mark, state, reason, message } = summarize(found);
  return { kind, name, status: mark, state, reason, message };
}

/** Returns the object, all objects that it refers to by name, the nearest first, and its connection. */
export async function stepsFrom(cluster: ClusterClient, object: KubeObject): Promise<readonly Step[]> {
  const { connections, managed } = boundKinds();
  const kinds = new Map(managed.map((kind) => [kind.kind, kind]));
  const once = { namespace: cluster.namespace, find: findingOnce(cluster.find) };
  const { namespace } = object.metadata;
  const steps = new Map([[shortTarget(keyOf(object)), stepOf({ ...keyOf(object), found: object })]]);
  const open = [object];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const { kind, name } of kinds.get(next.kind)?.references(next) ?? []) {
      if (name === undefined || steps.has(shortTarget({ kind, name }))) continue;
      const named = await readNamed(once, { kind, name }, namespace);
      steps.set(shortTarget({ kind, name }), stepOf(named));
      if (typeof named.found === "object") open.push(named.found);
    }
  }
  if (connections.some(({ kind }) => kind === object.kind)) return [...steps.values()];
  // A parent that the user may not read is a step already; its connection is unknown.
  const connection = await connectionOf(once, object).catch((error: unknown) => {
    if (!isKube(error, "Forbidden")) throw error;
    return undefined;
  });
  return [...steps.values(), ...(connection === undefined ? [] : [stepOf(connection)])];
}

/** Reads each object once: the connection is that of the nearest parent that names one. */
function findingOnce(find: ClusterClient["find"]): ClusterClient["find"] {
  const found = new Map<string, ReturnType<typeof find>>();
  return (kind, name, namespace) => {
    const id = summaryId(kind, namespace ?? "", name);
    const reading = found.get(id) ?? find(kind, name, namespace);
    found.set(id, reading);
    return reading;
  };
}

function isInTheWay({ status }: Step): boolean {
  return status !== "ready" && status !== "warned" && status !== "unknown";
}

function cellsOf({ status, state, reason, message, ...name }: Step): readonly string[] {
  return [`${signOf(status)} ${shortTarget(name)}`, state, reason, message];
}

function signOf(status: Step["status"]): string {
  if (status === "unknown") return "?";
  return MARKS[status === "missing" ? "stalled" : status].sign;
}

function conclusionOf([first]: readonly Step[], cause: Step | undefined): string {
  const name = first === undefined ? "" : shortTarget(first);
  if (cause === undefined) return `${name} waits for nothing.`;
  const what = cause === first ? `The cause is ${name} itself` : `${name} waits for ${shortTarget(cause)}`;
  return `${what}: ${[cause.reason, cause.message].filter((word) => word !== "").join(": ")}`;
}
