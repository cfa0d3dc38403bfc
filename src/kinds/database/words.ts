/** Messages about the state of databases. */
import type { Why } from "../../engine/contract/kind.ts";
import { failure as serviceFailure } from "../service/words.ts";

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["DEPLOYMENT_ERROR", "Look at the database on the platform, and at spec.version and its sizes"],
]);

/** The reason of a failure, with what to do about it. */
export function failure(state: string): Why {
  return serviceFailure(state, "database", ADVICE);
}
