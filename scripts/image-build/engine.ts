/** Finds the engine that builds images on this machine. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * The engines in order of preference, each with a command that succeeds only if it works: a `docker` without a daemon
 * cannot build.
 */
const QUESTIONS = {
  docker: ["version", "--format", "{{.Server.Version}}"],
  podman: ["info", "--format", "{{.Version.Version}}"],
  buildah: ["info", "--format", "{{.host.os}}"],
} as const;
export type Engine = keyof typeof QUESTIONS;
const ALL: readonly Engine[] = ["docker", "podman", "buildah"];

/**
 * @param wanted the accepted engines
 * @param path the folders to search, like `PATH`
 * @returns the first that works
 * @throws Error with the reason for each engine
 */
export async function findEngine(path: string | undefined, wanted: readonly Engine[] = ALL): Promise<Engine> {
  const reasons: string[] = [];
  for (const engine of wanted) {
    const trouble = await troubleOf(engine, path);
    if (trouble === undefined) return engine;
    reasons.push(`${engine}: ${trouble}`);
  }
  throw new Error(
    `This needs ${new Intl.ListFormat("en", { type: "disjunction" }).format(wanted)}.\n${reasons.join("\n")}`,
  );
}

async function troubleOf(engine: Engine, path: string | undefined): Promise<string | undefined> {
  try {
    await promisify(execFile)(engine, QUESTIONS[engine], { env: { ...process.env, PATH: path }, timeout: 30_000 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    if ("code" in error && error.code === "ENOENT") return "not on PATH";
    const said = "stderr" in error ? String(error.stderr).trim().split("\n").at(-1) : "";
    return `installed, and does not work: ${said || error.message}`;
  }
}
