import { expect } from "vitest";

import { KubeError } from "../../src/kube/api/errors.ts";

/** @returns the API server's message about a refused request; "" if it accepts the request */
export async function refusal(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => "",
    (error: unknown) => (error instanceof KubeError ? error.said() : undefined) ?? expect.fail(String(error)),
  );
}
