/** The command `tree`: the objects below their parents, with their state. */
import { aborted } from "node:util";

import { factOf, type Fact } from "../../console/tree/facts.ts";
import { below, dataOf, dotOf, factsOf, hierarchyOf } from "../../console/tree/hierarchy.ts";
import { platformProject } from "../../kinds/project/index.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Store } from "../../kube/watch/store.ts";
import { command, type Call } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { ALL_NAMESPACES, LIST_FORMATS } from "../base/globals.ts";
import { paintFor, type Io, type Stream } from "../base/io.ts";
import { printAs } from "../base/render.ts";
import { fullName } from "../base/targets.ts";
import { renderTree, showChanges } from "./shared/drawing.ts";
import { followObjects, listObjects, type Scope } from "./shared/listing.ts";
import { createScreen } from "./shared/screen.ts";

export const treeCommand = command({
  asks: "cluster",
  args: [{ name: "project", about: "a PlatformProject, to show only its objects", optional: true }],
  flags: {
    watch: { is: "switch", short: "w", about: "watch: update the tree on a terminal, otherwise print every change" },
    ...ALL_NAMESPACES,
  },
  formats: [...LIST_FORMATS, "dot"],
  details: "-o dot is for Graphviz.",
  run: async (call) => {
    const { args, flags, host, io, output, report } = call;
    const cluster = await call.cluster();
    const scope: Scope = { cluster, namespace: flags["all-namespaces"] ? "" : cluster.namespace, report };
    const factsIn = (objects: readonly KubeObject[]): readonly Fact[] => selected(objects, args.project);
    if (!flags.watch) {
      const facts = factsIn(await listObjects(scope));
      refuseUnknown(facts, args.project, scope);
      await show(call, facts);
      return;
    }
    if (output !== "table" && output !== "wide") {
      throw new UsageError("--watch takes -o table or wide.");
    }
    const stop = host.interrupt();
    const stopped = aborted(stop, stop);
    const following = followObjects({ ...scope, clock: host.clock });
    const facts = (): readonly Fact[] => factsIn(following.objects());
    try {
      await Promise.race([following.synced, stopped]);
      refuseUnknown(facts(), args.project, scope);
      draw(following.store, facts, io, output === "wide");
      await stopped;
    } finally {
      await following.stop();
    }
  },
});

/** Returns the tree of one project, or all. */
function selected(objects: readonly KubeObject[], project: string | undefined): readonly Fact[] {
  const facts = factsOf(objects);
  if (project === undefined) return facts;
  const roots = objects.filter(
    ({ kind, metadata, spec }) =>
      kind === platformProject.kind && (metadata.name === project || stringMember(spec, "name") === project),
  );
  return roots.flatMap((root) => below(facts, factOf(root).id));
}

/** @throws CliError when the project does not exist */
function refuseUnknown(facts: readonly Fact[], project: string | undefined, { namespace }: Scope): void {
  if (project === undefined || facts.length > 0) return;
  const where = namespace === "" ? "any namespace" : `namespace "${namespace}"`;
  throw new CliError(`There is no PlatformProject ${JSON.stringify(project)} in ${where}.`);
}

async function show(call: Call, facts: readonly Fact[]): Promise<void> {
  const { io, output, report } = call;
  if (output === "dot") io.stdout.write(dotOf(hierarchyOf(facts)));
  else if (facts.length === 0 && (output === "table" || output === "wide")) report("Nothing found.");
  else {
    await printAs(call, {
      data: () => dataOf(hierarchyOf(facts)),
      names: () => facts.map(fullName),
      lines: () => drawn(facts, io.stdout, output === "wide"),
    });
  }
}

function drawn(facts: readonly Fact[], stdout: Stream, wide: boolean): readonly string[] {
  const width = stdout.isTTY === true ? (stdout.columns ?? Infinity) : Infinity;
  return renderTree(facts, { width, paint: paintFor(stdout), wide });
}

/** Redraws in place on a terminal; else draws once, and then prints a line per change. */
function draw(store: Store, facts: () => readonly Fact[], { stdout }: Io, wide: boolean): void {
  const screen = createScreen(stdout);
  if (!screen.live) screen.print(drawn(facts(), stdout, wide).join("\n"));
  showChanges(
    store,
    screen,
    (width) => renderTree(facts(), { width, paint: screen.paint, wide }),
    ({ type, object }) => type === "deleted" || facts().some(({ id }) => id === factOf(object).id),
    screen.live ? [] : facts(),
  );
}
