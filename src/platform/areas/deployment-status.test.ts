import { describe } from "vitest";

import { ID, itRefuses, itSends } from "../../../test/support/platform/requests.ts";
import type { Platform } from "../index.ts";

const status = (id: string) => (platform: Platform) => platform.deployments.status(id);

describe("a deployment's status", () => {
  itSends(["its request id", status(ID), `GET /environment/deploymentStatus?deploymentRequestId=${ID}`]);
  itRefuses(
    ...["", "latest", `${ID}&x=1`].map(
      (id) => [`the request id ${id}`, status(id), "deploymentRequestId: not a UUID"] as const,
    ),
  );
});
