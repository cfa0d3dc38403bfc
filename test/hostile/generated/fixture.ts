import { ID, OTHER_ID } from "../../samples/sample.ts";
import type { Fixture } from "./outcomes.ts";

/** A fixture without a platform, for tests that use specs only. */
export const SOMEWHERE: Fixture = {
  name: "shop",
  baseUrl: "https://platform.example.com",
  proxyUrl: "http://proxy.example.com:3128",
  organizationId: ID,
  credentialsId: OTHER_ID,
  clusterOf: () => ID,
  id: () => OTHER_ID,
};
