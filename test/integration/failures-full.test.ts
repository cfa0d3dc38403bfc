import { describe } from "vitest";

import { itReportsOutages } from "./outages.ts";

describe("[C9] trouble of the platform, full surface, a prefix", () => {
  itReportsOutages({
    surface: "full",
    pathPrefix: "/api/v1",
    outages: [
      ["503", { is: "status", status: 503 }, "PlatformUnavailable", /listProjects with 503/],
      ["HTML", { is: "html" }, "UnexpectedResponse", /listProjects/],
      ["a reset", { is: "reset" }, "PlatformUnreachable", /cannot be reached/],
      ["slow answers", { is: "slow", seconds: 6 }, "PlatformUnreachable", /cannot be reached/],
    ],
  });
});
