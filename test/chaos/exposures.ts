import { findCanaries } from "../support/hostile/canaries.ts";
import type { ChaosEnv } from "./env.ts";

/** The log and the requests to the API server contain no secret, in any encoding. */
export function exposures(env: Pick<ChaosEnv, "calls" | "logs">, secrets: readonly string[]): readonly string[] {
  const written = env.calls.filter(({ side }) => side === "kube").map(({ url, body }) => `${url} ${body.toString()}`);
  const logged = env.logs().map((line) => JSON.stringify(line));
  const captured = { log: logged.join("\n"), "requests of the API server": written.join("\n") };
  const named = Object.fromEntries(secrets.map((secret, index) => [`secret ${index + 1}`, secret]));
  return findCanaries(captured, named).map((found) => `O7 ${found}`);
}
