import { describe, it } from "vitest";

import { expectRefused, expectSent, ID } from "../../../test/support/platform/requests.ts";

describe("a deployment", () => {
  it("is asked for by its request id", async () => {
    await expectSent(
      (platform) => platform.deployments.status(ID),
      `GET /environment/deploymentStatus?deploymentRequestId=${ID}`,
      undefined,
    );
  });

  it.each(["", "latest", `${ID}&x=1`])("is not asked for by %j", async (id) =>
    expectRefused((platform) => platform.deployments.status(id), "deploymentRequestId: not a UUID"),
  );
});
