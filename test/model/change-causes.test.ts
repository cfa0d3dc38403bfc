/**
 * Why the platform was changed, in the record of the change and in an event on the object. The causes SpecChanged,
 * Deleted, Drifted and Recreated: src/engine/steps/changes.test.ts, Requested: src/engine/policies/policy.test.ts.
 */
import { describe, expect, it } from "vitest";

import { RUN_UNTIL } from "../../src/api/names.ts";
import { CAUSES } from "../../src/engine/context/context.ts";
import { idOf } from "../support/env/settling.ts";
import { defaults, deploying, NEXT_COMMIT, resource, tree } from "../support/kube/manifests.ts";
import { HOUR, MINUTE } from "../support/platform/durations.ts";
import { operatorEnv, type OperatorEnv } from "../support/platform/operator-env.ts";

const APPLICATION = "PlatformApplication";
/** Longer than the poll interval. */
const POLL = 12 * MINUTE;

/** An operator with the project, the environment and the application "web". */
async function started(): Promise<OperatorEnv> {
  const env = await operatorEnv();
  env.apply(...defaults(env), ...tree(env, "web"));
  await env.run(5 * MINUTE);
  return env;
}

/** Expects that these changes of an object are recorded, "operation cause", and reported by an event each. */
async function expectChanges(env: OperatorEnv, name: string, wanted: readonly string[], happens: () => void) {
  const changesBefore = env.changes.length;
  const eventsBefore = env.events.length;
  happens();
  await env.run(POLL);
  const news = env.changes.slice(changesBefore).filter(({ key }) => key.name === name);
  expect(news.map(({ op, cause, result }) => `${op} ${cause} ${result}`)).toEqual(wanted.map((one) => `${one} ok`));
  const notes = env.events
    .slice(eventsBefore)
    .filter(({ reason, regarding }) => reason === "PlatformChanged" && regarding.metadata.name === name)
    .map(({ note }) => note);
  // What a new generation caused has the event of its outcome alone.
  const eventful = news.filter(({ cause, op }) => cause !== "SpecChanged" || op.startsWith("create"));
  const said = eventful.map(({ op, cause }) => new RegExp(`carried out ${op}\\b.*, because ${CAUSES[cause]}\\.$`));
  expect(notes).toEqual(said.map((text): unknown => expect.stringMatching(text)));
}

describe("the recorded cause of a deployment", () => {
  it("is InputsChanged once, within a minute, when a variable set is deleted whose variable the application uses", async () => {
    const env = await started();
    const spec = { targets: [{ applicationRef: { name: "web" } }], variables: [{ name: "MODE", value: "fast" }] };
    env.apply(resource("PlatformVariableSet", "shared", { ...spec, lifecycle: { deletionPolicy: "Delete" } }));
    await env.run(HOUR);
    const [from, since] = [env.baseline(), env.clock.monotonic()];
    await expectChanges(env, "web", ["deployApplication InputsChanged"], () =>
      env.cluster.remove("PlatformVariableSet", "shared"),
    );
    const deployed = env.calls(from).find(({ operation }) => operation === "deployApplication");
    expect(env.at(deployed!) - since).toBeLessThanOrEqual(MINUTE);
    await env.restart();
    await env.run(2 * HOUR);
    expect(env.writes(from)).toEqual(["deleteApplicationVariable", "deployApplication"]);
  });

  it("is Retried when lifecycle.retry starts a failed deployment again", async () => {
    const env = await started();
    env.cluster.patch(APPLICATION, "web", { spec: { lifecycle: { retry: { limit: 1, backoff: "0m" } } } });
    await env.run(POLL);
    env.platform
      .world()
      .services.get(idOf(env.get(APPLICATION, "web")))
      ?.failNext.push("deploy");
    const deployed = ["deployApplication SpecChanged", "deployApplication Retried"];
    await expectChanges(env, "web", deployed, () => env.cluster.patch(APPLICATION, "web", deploying(NEXT_COMMIT)));
  });

  it("is Scheduled when a window of the run schedule applies again after the annotation run-until is removed", async () => {
    const env = await started();
    const runSchedule = [{ kind: "Stop", schedule: "* * * * *", duration: "1h" }];
    env.cluster.annotate(APPLICATION, "web", { [RUN_UNTIL]: "2999-01-01T00:00:00Z" });
    env.cluster.patch(APPLICATION, "web", { spec: { runSchedule } });
    await env.run(POLL);
    expect(env.condition(APPLICATION, "web")).toBe("True/Deployed");
    await expectChanges(env, "web", ["stopApplication Scheduled"], () =>
      env.cluster.annotate(APPLICATION, "web", { [RUN_UNTIL]: null }),
    );
  });
});
