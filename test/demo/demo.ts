import { setTimeout as sleep } from "node:timers/promises";

import { renderLine, renderTree, reportChanges } from "../../src/cli/objects/shared/drawing.ts";
import type { Screen } from "../../src/cli/objects/shared/screen.ts";
import { summariesOf } from "../../src/console/tree/hierarchy.ts";
import { summarize, isReady } from "../../src/console/tree/summary.ts";
import { kubectl } from "../control-plane/access.ts";
import { operatorWarnings, startEnv, type Env } from "./env.ts";
import type { DemoOptions } from "./options.ts";
import { createScene, patience } from "./play.ts";
import type { View } from "./view.ts";

const LOG_LINES = 10;

/**
 * Runs the demo.
 * @param signal ends the demo, which throws the signal's reason
 * @returns the exit code: 0 when everything was shown, else 1
 */
export async function runDemo(options: DemoOptions, screen: Screen, signal: AbortSignal): Promise<number> {
  const ends: (() => Promise<void>)[] = [];
  const started = performance.now();
  const say = (line: string): void => {
    screen.print(`${screen.paint("dim", since(started))} ${line}`);
  };
  signal.addEventListener("abort", () => {
    screen.print("\nStopping operator, platform and control plane…");
  });
  try {
    const env = await startEnv({ ...options, say, signal, atEnd: (close) => ends.push(close) });
    showObjects(env.view, screen, say);
    const code = await show(env, options, screen, signal);
    if (options.once) return code;
    for (;;) await sleep(3_600_000, undefined, { signal });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** Waits until everything is Ready, plays the scenario, and shows the final state. */
async function show(env: Env, options: DemoOptions, screen: Screen, signal: AbortSignal): Promise<number> {
  const { view, controlPlane } = env;
  try {
    await view.until("everything is Ready", () => view.objects().every(isReady), patience(options));
    if (options.scenario !== undefined) {
      screen.print(`\n${screen.paint("bold", `Everything is Ready. Scenario ${options.scenario.name}:`)}`);
      await options.scenario.play(createScene(env, screen, options, signal));
      await view.until("everything is Ready again", () => view.objects().every(isReady), patience(options));
    }
  } catch (error) {
    if (signal.aborted) throw error;
    screen.print(await failure(env, screen, error));
    return 1;
  }
  if (!screen.live) screen.print(`\n${tree(view, screen).join("\n")}`);
  screen.print(`\n$ kubectl get platform -A\n${(await kubectl(controlPlane, ["get", "platform", "-A"])).trimEnd()}`);
  screen.print(closing(env, options, screen));
  return 0;
}

/** Shows the tree on a terminal, else a line for every change. */
function showObjects(view: View, screen: Screen, say: (line: string) => void): void {
  screen.follow((width) => ["", ...renderTree(summariesOf(view.objects()), { width, paint: screen.paint })]);
  const report = reportChanges(say);
  view.subscribe((change) => {
    screen.redraw();
    if (!screen.live) report(change);
  });
}

function tree(view: View, { paint }: Screen): readonly string[] {
  return renderTree(summariesOf(view.objects()), { width: 160, paint });
}

/** @returns the error, all objects that are not Ready, and the operator's last warnings */
async function failure({ view, controlPlane }: Env, screen: Screen, error: unknown): Promise<string> {
  const objects = view.objects().filter((object) => !isReady(object));
  const warnings = await operatorWarnings(controlPlane, LOG_LINES);
  return [
    `\n${screen.paint("red", "Failed:")} ${error instanceof Error ? error.message : String(error)}`,
    ...(objects.length > 0 ? ["Not Ready:", ...objects.map((object) => `  ${renderLine(summarize(object))}`)] : []),
    ...(warnings.length > 0 ? ["Last warnings of the operator:", ...warnings.map((line) => `  ${line}`)] : []),
  ].join("\n");
}

function closing({ controlPlane, pluginDir, statusPage }: Env, { once }: DemoOptions, { paint }: Screen): string {
  const { kubeconfigPath, binDir } = controlPlane;
  const commit = JSON.stringify({ spec: { deploy: { gitCommitId: "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567" } } });
  if (once)
    return "\nEverything is Ready. Without ONCE=1 the demo keeps running, and tells what to try in another terminal.";
  return [
    `\n${paint("bold", "Everything is Ready. In another terminal:")}`,
    `  export KUBECONFIG=${kubeconfigPath} PATH=${pluginDir}:${binDir}:$PATH`,
    // For the plugin: the simulated platform is on loopback.
    "  export PLATFORM_OPERATOR_ALLOW_INSECURE_PLATFORM=true",
    "  kubectl get platform -A",
    "  kubectl describe papp api -n shop",
    "  kubectl platform tree -n shop",
    "  kubectl platform status papp/api pproj/shop -n shop",
    "  kubectl platform status papp/api --remote -n shop",
    `  kubectl patch papp api -n shop --type=merge -p '${commit}'`,
    "  kubectl get papp -n shop -w",
    "  kubectl delete papp web -n shop",
    `The same in a browser, live: ${statusPage}`,
    "Ctrl-C ends the demo and removes everything.",
  ].join("\n");
}

function since(started: number): string {
  return `${((performance.now() - started) / 1_000).toFixed(1).padStart(5)} s`;
}
