/** The scene of a running demo: does and shows the actions of a scenario. */
import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import type { Screen } from "../../src/cli/objects/shared/screen.ts";
import { wordOf } from "../../src/console/tree/labels.ts";
import { conditionView, isReady } from "../../src/console/tree/summary.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { kubectl } from "../control-plane/access.ts";
import type { Env } from "./env.ts";
import type { DemoOptions } from "./options.ts";
import { NAMESPACE } from "./view.ts";

/**
 * @returns the time limit for work on the platform in milliseconds: minutes of the slowest platform, and the operator's
 *   own time, which a restart extends by its lease and the search for unfinished work
 */
export function patience({ speed }: Pick<DemoOptions, "speed">): number {
  return 180_000 + 300_000 / speed;
}

interface Wanted {
  readonly status: string;
  readonly reason?: string;
}

/**
 * @returns what a scenario does with the demo. Every wait throws the signal's reason when that fires, and an Error when
 *   it takes too long
 */
export function createScene(env: Env, screen: Screen, options: DemoOptions, signal: AbortSignal) {
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
  const object = (kind: string, name: string): KubeObject => {
    const found = view.get(kind, name);
    if (found === undefined) throw new Error(`there is no ${wordOf(kind)} ${name}`);
    return found;
  };
  const run = async (...args: readonly string[]): Promise<void> => {
    signal.throwIfAborted();
    const all = ["-n", NAMESPACE, ...args];
    command(`kubectl ${all.map(quoted).join(" ")}`);
    output((await kubectl(controlPlane, all)) || "(nothing)");
  };
  return {
    simulator,
    /** @returns the object. @throws Error when there is none */
    object,
    objects: view.objects,
    /** Runs kubectl in the quickstart's namespace and shows command and output. @throws Error when it fails */
    kubectl: run,
    say: (text: string): void => {
      print(`\n${paint("bold", text)}`);
    },
    note: output,
    /** Sends a request to the simulator's control endpoint and shows it. @throws Error for any status but 2xx */
    control: async (method: string, path: string, body?: unknown): Promise<void> => {
      const url = `${simulator.controlUrl}${path}`;
      const data = body === undefined ? [] : ["-H content-type:application/json", `-d ${quoted(JSON.stringify(body))}`];
      command(["curl", `-X ${method}`, quoted(url), ...data].join(" "));
      const headers = { "content-type": "application/json" };
      const json = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const response = await fetch(url, { method, ...json, signal });
      const answer = await response.text();
      if (!response.ok) throw new Error(`the simulator's control endpoint answered ${response.status}: ${answer}`);
    },
    /** Prints some conditions of an object, one per line. */
    conditions: (kind: string, name: string, ...types: readonly string[]): void => {
      const found = object(kind, name);
      const lines = types.map((type) => {
        const condition = conditionView(found, type);
        return condition === undefined
          ? `${type}: none`
          : `${type}=${condition.status} ${condition.reason}: ${condition.message}`;
      });
      output([`conditions of ${wordOf(kind)} ${name}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
    },
    /** Requests a reconcile of an object at once, before its next poll. `target` has kubectl's form: papp/api. */
    requestReconcile: (target: string) =>
      run("annotate", ...target.split("/"), `${RECONCILE_REQUESTED_AT}=${new Date().toISOString()}`, "--overwrite"),
    /** Waits for a condition of an object; without a reason, any reason matches. */
    until: (kind: string, name: string, type: string, { status, reason }: Wanted) =>
      view.until(
        `${wordOf(kind)} ${name}: ${type}=${status} ${reason ?? ""}`.trim(),
        () => {
          const condition = conditionView(object(kind, name), type);
          return condition?.status === status && (reason === undefined || condition.reason === reason);
        },
        waitMs,
      ),
    /** Waits for a state of the platform. */
    hold: (what: string, holds: () => boolean) => view.until(what, holds, waitMs),
    /** Waits until an application is Ready with that commit deployed. */
    untilDeployed: (name: string, commit: string) =>
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
