import { webhook as leaves } from "../hostile/generated/kinds/tree.ts";
import { resource } from "../support/kube/manifests.ts";
import { NOWHERE, type Sample } from "./sample.ts";

const KIND = "PlatformWebhook";

export const webhookSample: Sample = {
  smallest: { targetUrl: "https://hooks.example.com/x", events: ["DEPLOYMENT_SUCCESS"] },
  accepted: [
    ["the operator as its receiver", { targetUrl: undefined, events: undefined, receiver: true }],
    ["a secret by the usual key", { targetSecretRef: { name: "hook" } }],
    ["projects by a pattern", { projectNamesFilter: ["shop*"] }],
  ],
  refused: [
    [
      "a secret for the operator as the receiver",
      { targetUrl: undefined, receiver: true, targetSecretRef: { name: "hook" } },
      /targetSecretRef needs targetUrl/,
    ],
    ["a filter without a project", { projectNamesFilter: [] }, /projectNamesFilter.*at least 1/],
    ["a mode in another spelling", { environmentTypesFilter: ["production"] }, /environmentTypesFilter.*should match/],
    ["a target without scheme", { targetUrl: "hooks.example.com" }, /targetUrl.*should match/],
    ["a target of another scheme", { targetUrl: "ftp://hooks.example.com/x" }, /targetUrl.*should match/],
    ["a target with blanks", { targetUrl: "https://hooks.example.com/a b" }, /targetUrl.*should match/],
    ["two targets", { receiver: true }, /exactly one of targetUrl and receiver must be set/],
    ["no target", { targetUrl: undefined }, /exactly one of targetUrl and receiver must be set/],
    [
      "the operator as no receiver",
      { targetUrl: undefined, receiver: false },
      /receiver.*(supported values|Unsupported)/,
    ],
    ["a target without events", { events: undefined }, /events must be set with targetUrl/],
    ["no event", { events: [] }, /events.*at least 1/],
    ["an event in another spelling", { events: ["deployment.started"] }, /events.*should match/],
  ],
  duplicates: [
    ["an event twice", { events: ["A", "A"] }, /events.*[Dd]uplicate/],
    ["a mode twice", { environmentTypesFilter: ["STAGING", "STAGING"] }, /environmentTypesFilter.*[Dd]uplicate/],
  ],
  rules: 12,
  good: ({ name, spec }) =>
    resource(KIND, name, {
      targetUrl: `https://hooks.example.com/${name}`,
      events: ["DEPLOYMENT_STARTED"],
      ...spec,
    }),
  hostile: ({ name }) =>
    resource(KIND, name, { targetUrl: "https://[::1]/%00", events: ["CONSTRUCTOR"], externalId: NOWHERE }),
  writes: ["createWebhook"],
  change: () => ({ enabled: false }),
  changes: ["updateWebhook"],
  leaves,
};
