import { answersIn } from "../../../src/api/resolve.ts";
import { conditionsOf } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";

/** Returns the answer whose command a condition of the object prints. @throws Error if the object asks nothing */
export function answerIn(object: KubeObject): string {
  const [answer] = conditionsOf(object).flatMap(({ message }) => answersIn(message));
  if (answer === undefined) throw new Error(`${object.kind} ${object.metadata.name} asks nothing`);
  return answer;
}
