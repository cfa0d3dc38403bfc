import { ID, OTHER_ID } from "../../samples/sample.ts";
import type { Fixture } from "./outcomes.ts";

/** A ground that nothing stands on, for what looks at specs alone. */
export const SOMEWHERE: Fixture = {
  name: "shop",
  baseUrl: "https://platform.example.com",
  organizationId: ID,
  credentialsId: OTHER_ID,
  clusterOf: () => ID,
  id: () => OTHER_ID,
};
