/** The command `tree`: the objects below their parents, with their state. */
import { aborted } from "node:util";

import { below, createSummaryCache, dataOf, dotOf, hierarchyOf } from "../../console/tree/hierarchy.ts";
import { summaryId, type ObjectSummary } from "../../console/tree/summary.ts";
import { platformProject } from "../../kinds/project/index.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { Cache, KubeObject } from "../../kube/api/types.ts";
import type { Call } from "../base/call.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { paintFor, type Stream } from "../base/io.ts";
import { nothingIn, printAs } from "../base/render.ts";
import { fullName } from "../base/targets.ts";
import { renderTree, showChanges } from "./shared/drawing.ts";
import { followObjects, type Following, listObjects, type Scope } from "./shared/listing.ts";
import { createScreen } from "./shared/screen.ts";

interface TreeOptions {
  readonly watch?: boolean | undefined;
  readonly allNamespaces?: boolean | undefined;
}

/** @param project the name of a PlatformProject; all objects without one */
export async function treeCommand(call: Call, project: string | undefined, options: TreeOptions): Promise<void> {
  const { host, output, report } = call;
  const cluster = await call.cluster();
  const scope: Scope = { cluster, namespace: options.allNamespaces === true ? "" : cluster.namespace, report };
  const selection = selectionOf(project);
  if (options.watch !== true) {
    const summaries = selection.summariesIn(await listObjects(scope));
    refuseUnknown(summaries, project, scope);
    await show(call, summaries, scope.namespace);
    return;
  }
  if (output !== "table" && output !== "wide") throw new UsageError("--watch takes -o table or wide.");
  const stop = host.interrupt();
  const stopped = aborted(stop, stop);
  const following = followObjects({ ...scope, clock: host.clock });
  try {
    await Promise.race([following.synced, stopped]);
    const failure = following.failure();
    if (failure !== undefined) throw failure;
    if (stop.aborted) return;
    refuseUnknown(selection.summariesIn(following.objects()), project, scope);
    const stopDrawing = draw(call, following, selection);
    await stopped;
    stopDrawing();
  } finally {
    await following.stop();
  }
}

type Selection = ReturnType<typeof selectionOf>;

/** Returns functions that select the objects of one project, or all objects. */
function selectionOf(project: string | undefined) {
  const cache = createSummaryCache();
  const isRoot = ({ kind, metadata, spec }: KubeObject): boolean =>
    kind === platformProject.kind && (metadata.name === project || stringMember(spec, "name") === project);
  return {
    /** Returns the summaries of the objects that belong to it. */
    summariesIn: (objects: readonly KubeObject[]): readonly ObjectSummary[] => {
      const summaries = cache.summariesOf(objects);
      if (project === undefined) return summaries;
      return objects
        .filter(isRoot)
        .flatMap(({ kind, metadata: { namespace = "", name } }) => below(summaries, summaryId(kind, namespace, name)));
    },
    /** Reports whether one object belongs to it. @param store holds the parents of the object */
    includes: (object: KubeObject, store: Cache): boolean =>
      project === undefined || cache.isBelow(object, isRoot, store),
  };
}

/** @throws CliError when the project does not exist */
function refuseUnknown(summaries: readonly ObjectSummary[], project: string | undefined, { namespace }: Scope): void {
  if (project === undefined || summaries.length > 0) return;
  const where = namespace === "" ? "any namespace" : `namespace "${namespace}"`;
  throw new CliError(`There is no PlatformProject ${JSON.stringify(project)} in ${where}.`);
}

async function show(call: Call, summaries: readonly ObjectSummary[], namespace: string): Promise<void> {
  const { io, output, report } = call;
  if (output === "dot") io.stdout.write(dotOf(hierarchyOf(summaries)));
  else if (summaries.length === 0 && (output === "table" || output === "wide")) report(nothingIn(namespace));
  else {
    await printAs(call, {
      data: () => dataOf(hierarchyOf(summaries)),
      names: () => summaries.map(fullName),
      lines: () => drawn(summaries, io.stdout, output === "wide"),
    });
  }
}

function drawn(summaries: readonly ObjectSummary[], stdout: Stream, wide: boolean): readonly string[] {
  const width = stdout.isTTY === true ? (stdout.columns ?? Infinity) : Infinity;
  return renderTree(summaries, { width, paint: paintFor(stdout), wide });
}

/**
 * Redraws in place on a terminal; else draws once, and then prints a line per change.
 * @returns a function that ends it
 */
function draw({ host, io: { stdout }, output }: Call, following: Following, selection: Selection): () => void {
  const { store, objects } = following;
  const wide = output === "wide";
  const screen = createScreen(stdout);
  const known = screen.live ? [] : selection.summariesIn(objects());
  if (!screen.live) screen.print(drawn(known, stdout, wide).join("\n"));
  return showChanges({
    store,
    screen,
    clock: host.clock,
    render: (width) => renderTree(selection.summariesIn(objects()), { width, paint: screen.paint, wide }),
    concerns: ({ type, object }) => type === "deleted" || selection.includes(object, store),
    known,
  });
}
