import { describe, expect, it } from "vitest";

import {
  type Change,
  COMMIT,
  inputsWith,
  listedVariable,
  listsWith,
  NOW,
  observedFull,
  observedIn,
  OTHER_COMMIT,
  contextWith,
  planned,
  plans,
  print,
  record,
  specOf,
  statusOf,
} from "../../../test/support/services/applications.ts";
import { declaredSettings } from "../service/settings.ts";
import { application } from "./index.ts";
import { APPLICATION_SETTINGS, type Observed } from "./model.ts";

// ../service/plan.test.ts has what holds for databases, too.
const full = { surface: "Full" } as const;
const smaller = { ...full, spec: { cpu: 250 } };
const UPDATED = "updateApplication corrects";

describe("the steps before a deployment", () => {
  const variables = [{ name: "KEY", value: "value", isSecret: true }];
  const unsent = { inputs: inputsWith(variables) };
  /** An import left the secret out. */
  const left = {
    variables: [{ key: "KEY", failed: true as const }],
    written: print("some"),
    sentAt: NOW.toISOString(),
  };
  const declared = declaredSettings(APPLICATION_SETTINGS, specOf());
  const tried = { memory: { owned: left, written: { revision: 0, settings: { ...declared } } }, ...unsent };
  const sentBefore = { ...unsent, memory: { written: { revision: 0, settings: { ...declared } } } };
  const other = { deploy: { gitCommitId: OTHER_COMMIT } };
  const isOlder = (settings: Record<string, string>) => {
    return { spec: { cpu: 250 }, memory: { written: { settings, revision: 0 } } };
  };
  /** This was sent, and 256 stored. */
  const written = (cpu: string) => {
    const settings = { settings: { ...declared, "spec.cpu": cpu }, revision: 1, altered: { "spec.cpu": "256" } };
    return { ...smaller, memory: { written: settings, lastDeployment: { gitCommitId: "1a2b3c4d", settings: 1 } } };
  };
  const withCommit = ({ spec, memory }: ReturnType<typeof isOlder>) => {
    return { spec: { ...spec, deploy: { gitCommitId: OTHER_COMMIT } }, memory };
  };
  const DEPLOY_OTHER = `deployApplication ${OTHER_COMMIT}`;
  const ours = (cpu: string) => ({ ...smaller, memory: { written: { settings: { ...declared, "spec.cpu": cpu } } } });

  /** The first spec was sent; the second one, if given, took its place. */
  const since = (sent: NonNullable<Change["spec"]>, spec = sent): Change => {
    const settings = { ...declaredSettings(APPLICATION_SETTINGS, specOf(sent)) };
    const lastDeployment = { gitCommitId: "1a2b3c4d", settings: 1 };
    return { ...full, spec, memory: { written: { settings, revision: 1 }, lastDeployment } };
  };
  const UPDATE = "updateApplication";
  const shownIn = (change: Parameters<typeof observedFull>[1]) => observedFull("DEPLOYED", change);
  const PORT = { internalPort: 8080 };
  const NAMED = { ...PORT, name: "http" };
  const OPEN = shownIn({ ports: [{ ...PORT, publiclyAccessible: false }] });
  const READY = { readiness_probe: { period_seconds: 10 } };
  const BOTH = { ...READY, liveness_probe: { period_seconds: 10 } };
  const CHECKED = shownIn({ healthchecks: READY });

  const lists = listsWith(listedVariable("KEY"));
  const requested = { ...written("250"), requested: "now" };

  plans([
    ["settings that differ, under way", smaller, observedFull("BUILDING", { cpu: 500 }), UPDATED],
    ["not settings that the spec leaves open", full, observedFull("DEPLOYED", { cpu: 500 }), "settled"],
    ["not settings that are not shown", smaller, observedFull("DEPLOYED"), "settled"],
    ["settings that were added, and are not shown", since({}, { entrypoint: "/app" }), shownIn({}), UPDATE],
    ["not such settings once they were sent", since({ entrypoint: "/app" }), shownIn({}), "settled"],
    ["a member of a port that was added, and is not shown", since({ ports: [PORT] }, { ports: [NAMED] }), OPEN, UPDATE],
    ["not such a member once it was sent", since({ ports: [NAMED] }), OPEN, "settled"],
    ["not ports that have become those of the spec", since({ ports: [] }, { ports: [PORT] }), OPEN, "settled"],
    ["a check that was added beside another", since({ healthchecks: READY }, { healthchecks: BOTH }), CHECKED, UPDATE],
    ["not a check that is not shown, once it was sent", since({ healthchecks: BOTH }), CHECKED, "settled"],
    ["not settings that are stored otherwise", written("250"), observedFull("DEPLOYED", { cpu: 256 }), "settled"],
    ["settings that others changed", written("250"), observedFull("DEPLOYED", { cpu: 512 }), UPDATED],
    ["settings that were changed since", written("200"), observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["settings stored otherwise, on request", requested, observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["a setting of others", ours("250"), observedFull("DEPLOYED", { cpu: 500 }), UPDATED],
    ["a setting of ours", ours("100"), observedFull("DEPLOYED", { cpu: 100 }), "updateApplication"],
    ["not settings that cannot be sent", isOlder({ "spec.cpu": "200" }), observedIn("DEPLOYED"), "settled"],
    ["not settings that were added and cannot be sent", isOlder({}), observedIn("DEPLOYED"), "settled"],
    ["a commit beside such settings", withCommit(isOlder({})), observedIn("DEPLOYED"), DEPLOY_OTHER],
    ["variables beside such settings", { ...unsent, ...isOlder({}) }, observedIn("DEPLOYED"), "importVariables"],
    ["variables not sent, under way", sentBefore, observedIn("BUILDING"), "importVariables"],
    [
      "a secret that was not taken over",
      { ...tried, ...full },
      observedFull("BUILDING", {}, { lists }),
      "updateSecret",
    ],
    ["not a secret that cannot be replaced", tried, observedIn("DEPLOYED", { lists }), "stalled VariablesPending"],
    ["a commit beside such a secret", { ...tried, spec: other }, observedIn("DEPLOYED", { lists }), DEPLOY_OTHER],
  ]);
});

const DEPLOY = `deployApplication ${COMMIT}`;

const [update, deploy] = ["updateApplication", "deployApplication"];

it.each<[string, readonly string[], readonly string[], string]>([
  ["an update goes first", [], [], UPDATED],
  ["what is awaited is deployed as well", [update], [update], DEPLOY],
  ["what is forbidden is not", [update], [], "settled"],
  ["nothing comes after the deployment", [update, deploy], [update], "settled"],
])("a plan of an application that waits for approval: %s", (_, blocked, pending, expected) => {
  const change = { ...smaller, blockedOperations: new Set(blocked), pendingOperations: new Set(pending) };
  expect(planned(change, observedFull("DEPLOYED", { cpu: 1 }))).toBe(expected);
});

describe("what others did to an application", () => {
  const everything = { ...full, corrects: "Everything" } as const;
  const shown = (deployedCommitId: string, change: Partial<Observed> = {}) =>
    observedFull("DEPLOYED", { gitRepository: { ...record().gitRepository, deployedCommitId } }, change);
  /** Others deployed another commit, by a request of their own. */
  const foreign = shown(OTHER_COMMIT, { status: statusOf("DEPLOYED", { deploymentRequestId: "theirs" }) });
  const blocked = { ...everything, blockedOperations: new Set(["deployApplication"]) };
  const another = { ...everything, spec: { deploy: { gitCommitId: OTHER_COMMIT } } };
  const hidden: Change = { goal: "stopped" };

  plans([
    ["a deployment of another commit is reported", full, foreign, "settled"],
    ["a deployment of another commit is undone where everything is", everything, foreign, `${DEPLOY} corrects`],
    ["a deployment of another commit is reported where the deployment is blocked", blocked, foreign, "settled"],
    ["a list that lags behind our own deployment is nothing of others", everything, shown(OTHER_COMMIT), "settled"],
    ["a commit is nothing where none is wanted", { ...everything, spec: { deploy: undefined } }, foreign, "settled"],
    ["a new commit of ours is not theirs", another, observedFull("DEPLOYED"), `deployApplication ${OTHER_COMMIT}`],
    ["a start is left where the surface has no stop", hidden, observedIn("DEPLOYED"), "stalled NotSupportedByPlatform"],
  ]);

  it("is reported verbatim where a start is not undone", () => {
    const stopped = { ...full, spec: { runState: "Stopped" }, memory: { runState: "Stopped" } } as const;
    const { ready, drift } = application.report(contextWith(stopped), observedFull("DEPLOYED"));
    expect(ready.reason).toBe("Deployed");
    expect(drift).toEqual([{ path: "spec.runState", desired: "Stopped", observed: "Running" }]);
  });
});

describe("an application of a repository at a host without a known provider", () => {
  const fresh = { id: undefined, identitySource: undefined } as const;
  const self = (provider?: string) => ({
    spec: { gitRepository: { url: "https://git.acme.com/shop/web.git", provider } },
  });
  const nowhere = observedIn(undefined);

  plans([
    [
      "is refused where the platform requires the provider",
      { ...fresh, ...full, ...self() },
      nowhere,
      "stalled InvalidSpec",
    ],
    [
      "is created with the provider of the spec",
      { ...fresh, ...full, ...self("GITLAB") },
      nowhere,
      "createApplication",
    ],
    ["is created without it on the specification's surface", { ...fresh, ...self() }, nowhere, "createApplication"],
  ]);
});

it("an application is created behind the ledger, marked with the platform's clock", () => {
  const fresh = contextWith({ id: undefined, identitySource: undefined });
  const why = { reason: "Creating", message: 'Creating application "api".' };
  const create = { repeat: "once", op: "createApplication", action: { what: "create" }, creates: true, name: "api" };
  const next = application.plan(fresh, observedIn(undefined, { serverNow: new Date("2026-11-21T10:00:00Z") }));
  expect(next).toEqual({ is: "step", step: { ...create, mark: { absentAt: "2026-11-21T10:00:00.000Z" }, why } });
});
