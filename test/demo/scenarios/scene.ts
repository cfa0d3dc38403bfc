/** The interface of a scenario to the demo. */
import type { createScene } from "../play.ts";

export type Scene = ReturnType<typeof createScene>;

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
