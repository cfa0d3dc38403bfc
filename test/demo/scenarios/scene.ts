/** The interface of a scenario to the demo. */
import type { Simulator } from "../../../simulator/simulator.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";

/** The expected condition; without a reason, any reason matches. */
export interface Wanted {
  readonly status: string;
  readonly reason?: string;
}

export interface Scene {
  readonly simulator: Simulator;
  readonly say: (text: string) => void;
  readonly note: (text: string) => void;
  /** Runs kubectl in the quickstart's namespace and shows command and output. @throws Error when it fails */
  readonly kubectl: (...args: readonly string[]) => Promise<void>;
  /** Sends a request to the simulator's control endpoint and shows it. @throws Error for any status but 2xx */
  readonly control: (method: string, path: string, body?: unknown) => Promise<void>;
  /** Prints some conditions of an object, one per line. */
  readonly conditions: (kind: string, name: string, ...types: readonly string[]) => void;
  /** Requests a reconcile of an object at once, before its next poll. `target` has kubectl's form: papp/api. */
  readonly requestReconcile: (target: string) => Promise<void>;
  readonly objects: () => readonly KubeObject[];
  /** @returns the object. @throws Error when there is none */
  readonly object: (kind: string, name: string) => KubeObject;
  /** Waits for a condition of an object. @throws Error when that takes too long */
  readonly until: (kind: string, name: string, type: string, wanted: Wanted) => Promise<void>;
  /** Waits for a state of the platform. @throws Error with `what` when that takes too long */
  readonly hold: (what: string, holds: () => boolean) => Promise<void>;
  /** Waits until an application is Ready with that commit deployed. @throws Error when that takes too long */
  readonly untilDeployed: (name: string, commit: string) => Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** The surface that it needs; undefined: any. */
  readonly surface: "full" | undefined;
  /** Plays it when the quickstart is Ready. @throws Error when a step does not have the scripted result */
  readonly play: (scene: Scene) => Promise<void>;
}

/** Commits that are easy to distinguish. The simulated build of one that starts with "bad" fails. */
export const COMMITS = {
  bad: "bad0c0de5eed5eed5eed5eed5eed5eed5eed5eed",
  good: "900d1dea5eed5eed5eed5eed5eed5eed5eed5eed",
  foreign: "f0e161105eed5eed5eed5eed5eed5eed5eed5eed",
} as const;

/** @returns the arguments of kubectl that change an application's commit */
export function changeCommit(application: string, commit: string): readonly string[] {
  const change = JSON.stringify({ spec: { deploy: { gitCommitId: commit } } });
  return ["patch", "papp", application, "--type=merge", "-p", change];
}
