/** The scene of a running demo: does and shows the actions of a scenario. */
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import type { Screen } from "../../src/cli/objects/shared/screen.ts";
import { conditionView, isReady } from "../../src/console/tree/facts.ts";
import { wordOf } from "../../src/console/tree/labels.ts";
import { kubectl } from "../control-plane/access.ts";
import type { Env } from "./env.ts";
import type { DemoOptions } from "./options.ts";
import type { Scene } from "./scenarios/scene.ts";
import { NAMESPACE } from "./view.ts";

/**
 * @returns the time limit for work on the platform in milliseconds: minutes of the slowest platform, and the operator's
 *   own time, which a restart extends by its lease and the search for unfinished work
 */
export function patience({ speed }: Pick<DemoOptions, "speed">): number {
  return 180_000 + 300_000 / speed;
}

/** @returns the scene of an env. Every wait throws the signal's reason when that fires */
export function createScene(env: Env, screen: Screen, options: DemoOptions, signal: AbortSignal): Scene {
  const { controlPlane, simulator, view } = env;
  const { paint, print } = screen;
  const waitMs = patience(options);

  const command = (text: string): void => {
    print(paint("dim", `  $ ${text}`));
  };
  const output = (text: string): void => {
    const lines = text.trimEnd().split("\n");
    print(lines.map((line) => `  ${line}`).join("\n"));
  };
  const object: Scene["object"] = (kind, name) => {
    const found = view.get(kind, name);
    if (found === undefined) throw new Error(`there is no ${wordOf(kind)} ${name}`);
    return found;
  };
  const run: Scene["kubectl"] = async (...args) => {
    signal.throwIfAborted();
    const all = ["-n", NAMESPACE, ...args];
    command(`kubectl ${all.map(quoted).join(" ")}`);
    output((await kubectl(controlPlane, all)) || "(nothing)");
  };
  return {
    simulator,
    object,
    objects: () => view.objects(),
    kubectl: run,
    say: (text) => {
      print(`\n${paint("bold", text)}`);
    },
    note: output,
    control: async (method, path, body) => {
      const url = `${simulator.controlUrl}${path}`;
      const data = body === undefined ? [] : ["-H content-type:application/json", `-d ${quoted(JSON.stringify(body))}`];
      command(["curl", `-X ${method}`, quoted(url), ...data].join(" "));
      const headers = { "content-type": "application/json" };
      const json = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const response = await fetch(url, { method, ...json, signal });
      const answer = await response.text();
      if (!response.ok) throw new Error(`the simulator's control endpoint answered ${response.status}: ${answer}`);
    },
    conditions: (kind, name, ...types) => {
      const found = object(kind, name);
      const lines = types.map((type) => {
        const condition = conditionView(found, type);
        return condition === undefined
          ? `${type}: none`
          : `${type}=${condition.status} ${condition.reason}: ${condition.message}`;
      });
      output([`conditions of ${wordOf(kind)} ${name}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
    },
    requestReconcile: (target) =>
      run("annotate", ...target.split("/"), `${RECONCILE_REQUESTED_AT}=${new Date().toISOString()}`, "--overwrite"),
    until: (kind, name, type, { status, reason }) =>
      view.until(
        `${wordOf(kind)} ${name}: ${type}=${status} ${reason ?? ""}`.trim(),
        () => {
          const condition = conditionView(object(kind, name), type);
          return condition?.status === status && (reason === undefined || condition.reason === reason);
        },
        waitMs,
      ),
    hold: (what, holds) => view.until(what, holds, waitMs),
    untilDeployed: (name, commit) =>
      view.until(
        `application ${name}: Ready with commit ${commit}`,
        () => {
          const application = object("PlatformApplication", name);
          const deployed = conditionView(application, "Ready")?.message.includes(commit.slice(0, 7)) === true;
          return deployed && isReady(application);
        },
        waitMs,
      ),
  };
}

/** @returns a word, quoted for a shell if necessary */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
