/** The command `trace`: an object, the objects that it refers to, and its connection, each with its state. */
import { factOf } from "../../console/tree/facts.ts";
import { MARKS } from "../../console/tree/labels.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { boundKinds } from "../../operator/config/kinds.ts";
import { connectionOf } from "../base/access.ts";
import type { ClusterClient } from "../base/cluster.ts";
import { command } from "../base/command.ts";
import { EXIT } from "../base/exit.ts";
import { align, printAs } from "../base/render.ts";
import { fullName, shortTarget, TARGET, type Name } from "../base/targets.ts";

export const traceCommand = command({
  asks: "cluster",
  args: [TARGET],
  formats: ["table", "json", "yaml", "name"],
  details: "The exit code is 1 if the object, or an object that it refers to, is not Ready.",
  run: async (call) => {
    const cluster = await call.cluster();
    const steps = await stepsFrom(cluster, await call.object(call.args.object));
    const cause = steps.findLast(isInTheWay);
    await printAs(call, {
      data: () => ({ steps, ...(cause === undefined ? {} : { waitsFor: fullName(cause) }) }),
      names: () => steps.map(fullName),
      lines: () => [...align(steps.map(cellsOf), "  "), "", conclusionOf(steps, cause)],
    });
    return cause === undefined ? EXIT.ok : EXIT.failed;
  },
});

/** One object of the trace, or the name of one that does not exist. */
type Step = Readonly<ReturnType<typeof stepOf>>;

function stepOf({ kind, name }: Name, object: KubeObject | undefined) {
  if (object === undefined)
    return { kind, name, status: "missing" as const, state: "", reason: "NotFound", message: "It does not exist." };
  const { mark, state, reason, message } = factOf(object);
  return { kind, name, status: mark, state, reason, message };
}

/** Returns the object, all objects that it refers to by name, the nearest first, and its connection. */
async function stepsFrom(cluster: ClusterClient, object: KubeObject): Promise<readonly Step[]> {
  const kinds = new Map(boundKinds().map((kind) => [kind.kind, kind]));
  const { namespace } = object.metadata;
  const steps = new Map([[shortTarget(keyOf(object)), stepOf(keyOf(object), object)]]);
  const open = [object];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const { kind, name } of kinds.get(next.kind)?.references(next) ?? []) {
      if (name === undefined || steps.has(shortTarget({ kind, name }))) continue;
      const found = await cluster.find(kind, name, namespace);
      steps.set(shortTarget({ kind, name }), stepOf({ kind, name }, found));
      if (found !== undefined) open.push(found);
    }
  }
  const connection = kinds.get(object.kind)?.isConnection === true ? undefined : await connectionOf(cluster, object);
  return [...steps.values(), ...(connection === undefined ? [] : [stepOf(keyOf(connection), connection)])];
}

function isInTheWay({ status }: Step): boolean {
  return status !== "ready" && status !== "warned";
}

function cellsOf({ status, state, reason, message, ...name }: Step): readonly string[] {
  const sign = status === "missing" ? MARKS.stalled.sign : MARKS[status].sign;
  return [`${sign} ${shortTarget(name)}`, state, reason, message];
}

function conclusionOf([first]: readonly Step[], cause: Step | undefined): string {
  const name = first === undefined ? "" : shortTarget(first);
  if (cause === undefined) return `${name} waits for nothing.`;
  const what = cause === first ? "nothing that it refers to" : shortTarget(cause);
  return `${name} waits for ${what}: ${[cause.reason, cause.message].filter((word) => word !== "").join(": ")}`;
}
