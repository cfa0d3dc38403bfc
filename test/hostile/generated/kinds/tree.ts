import { always, reported, type KindCases } from "../outcomes.ts";
import { cluster, project as parent } from "./references.ts";

export const project: KindCases = {
  seed: (_fixture, name) => ({ name, description: "the seed" }),
  leaves: () => ({ description: { to: "another one" } }),
};

export const environment: KindCases = {
  dependencies: (fixture) => [parent(fixture), parent(fixture, "-other"), cluster(fixture, `${fixture.name}-other`)],
  seed: ({ name: lane, clusterOf }, name) => ({
    projectRef: { name: lane },
    name,
    mode: "STAGING",
    clusterRef: { externalId: clusterOf(lane) },
  }),
  leaves: () => ({ mode: { to: "PRODUCTION" } }),
};

export const webhook: KindCases = {
  seed: (_fixture, name) => ({
    targetUrl: `http://127.0.0.1:9/${name}`,
    events: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILURE"],
    enabled: true,
    targetSecretRef: { name: "values", key: "first" },
    description: "the seed",
    projectNamesFilter: ["shop*"],
    environmentTypesFilter: ["STAGING"],
  }),
  leaves: (_fixture, name) => ({
    // The journal masks the value.
    "targetSecretRef.name": { to: "others", as: "***" },
    "targetSecretRef.key": { to: "second", as: "***", notAdded: "the Secret of the seed lacks the usual key" },
    description: { to: "another one" },
    projectNamesFilter: { to: ["pay*", "shop*"] },
    "projectNamesFilter[]": { to: "pay", as: ["pay"] },
    environmentTypesFilter: { to: ["PRODUCTION", "STAGING"] },
    "environmentTypesFilter[]": { to: "PRODUCTION", as: ["PRODUCTION"] },
    targetUrl: { to: `http://127.0.0.1:9/${name}/elsewhere` },
    receiver: {
      ...always(true, reported("DependencyNotReady", "the operator has no URL of its receiver")),
      in: { targetSecretRef: null },
    },
    events: { to: ["DEPLOYMENT_STARTED", "DEPLOYMENT_FAILURE", "DEPLOYMENT_SUCCESSFUL"] },
    "events[]": { to: "DEPLOYMENT_CANCELLED", as: ["DEPLOYMENT_CANCELLED", "DEPLOYMENT_FAILURE"] },
    enabled: { to: false },
  }),
};
