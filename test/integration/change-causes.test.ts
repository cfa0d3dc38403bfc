/** Why the platform was changed, for every cause there is: in the change log, and in the events on the object. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { editRecord, removeRecord } from "../../simulator/control/records.ts";
import { RECONCILE_REQUESTED_AT, RUN_UNTIL } from "../../src/api/names.ts";
import { CAUSES, type ChangeCause } from "../../src/engine/context/context.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import {
  application,
  defaults,
  deploying,
  NEXT_COMMIT,
  project,
  resource,
  secret,
  tree,
} from "../support/kube/manifests.ts";
import { changeLog } from "../support/platform/change-log.ts";

const APPLICATION = "PlatformApplication";
const PROJECT = "PlatformProject";
const found = new Set<string>();

describe("the cause of a change", () => {
  const env = createEnv({ surface: "full" });
  const log = () => changeLog(env.operator.logs());

  beforeAll(async () => {
    await env.apply(...defaults(env, { surface: "Full" }), ...tree(env, "web"));
    await env.waitFor(APPLICATION, "web", { status: "True", reason: "Deployed" });
    await env.settled();
  });

  /** Expects that the log reports these changes of an object, "operation cause", and an event each, from `happens` on. */
  async function expectChanges(name: string, wanted: readonly string[], happens: () => unknown): Promise<void> {
    const from = log().length;
    const news = () =>
      log()
        .slice(from)
        .filter((line) => line.name === name);
    await happens();
    await vi.waitFor(() => expect(news().length).toBeGreaterThanOrEqual(wanted.length), 20_000);
    await env.settled();
    expect(news().map(({ op, cause, result }) => `${op} ${cause} ${result}`)).toEqual(wanted.map((one) => `${one} ok`));
    const events = await eventsOf(env, name, "PlatformChanged");
    for (const { op, cause } of news()) {
      const because = `because ${CAUSES[cause as ChangeCause]}.`;
      const one = new RegExp(`carried out ${op}\\b.*, ${because}$`);
      // What a new generation caused has the event of its outcome alone.
      const hasOwnEvent = cause !== "SpecChanged" || op.startsWith("create");
      expect(events.some((note) => one.test(note))).toBe(hasOwnEvent);
      found.add(cause);
    }
  }

  async function failing(name: string, lifecycle: JsonObject): Promise<void> {
    await env.apply(application(name, "web", { lifecycle }));
    const id = idOf(await env.waitFor(APPLICATION, name, { status: "True", reason: "Deployed" }));
    await env.settled();
    env.platform.world().services.get(id)?.failNext.push("deploy");
  }

  it("is the spec for a new object, and for what was edited", async () => {
    await expectChanges("api", ["createApplication SpecChanged", "deployApplication SpecChanged"], () =>
      env.apply(application("api", "web")),
    );
    await expectChanges("api", ["deployApplication SpecChanged"], () =>
      env.patch(APPLICATION, "api", deploying(NEXT_COMMIT)),
    );
  });

  it("is the inputs where a Secret that the spec refers to got another value", async () => {
    const token = { name: "TOKEN", valueFrom: { secretKeyRef: { name: "values", key: "token" } } };
    const set: Manifest = resource("PlatformVariableSet", "shared", {
      targets: [{ applicationRef: { name: "web" } }],
      variables: [token],
    });
    await env.ready(secret("values", { token: "old" }), set);
    await env.settled();
    const record = await env.record();
    await expectChanges("shared", ["updateSecret InputsChanged"], () => env.apply(secret("values", { token: "new" })));
    expect(record.changes()).toEqual(["updateApplicationSecret", "deployApplication"]);
  });

  it("is drift where somebody else changed the platform", async () => {
    const id = idOf(await env.get(PROJECT, "web"));
    await expectChanges("web", ["updateProject Drifted"], () => editRecord(env.platform.sim, id, { name: "theirs" }));
  });

  it("is a retry where the spec starts a failed deployment again", async () => {
    await failing("corrected", { retry: { limit: 1, backoff: "0m" } });
    await expectChanges("corrected", ["deployApplication SpecChanged", "deployApplication Retried"], () =>
      env.patch(APPLICATION, "corrected", deploying(NEXT_COMMIT)),
    );
  });

  it("is the request where a person asks for a failed deployment again", async () => {
    await failing("asks", {});
    await env.patch(APPLICATION, "asks", deploying(NEXT_COMMIT));
    await env.waitFor(APPLICATION, "asks", { type: "Stalled", status: "True" });
    await env.settled();
    await expectChanges("asks", ["deployApplication Requested"], () =>
      env.annotate(APPLICATION, "asks", { [RECONCILE_REQUESTED_AT]: "now" }),
    );
  });

  it("is the schedule where a window of it counts again", async () => {
    const always = [{ kind: "Stop", schedule: "* * * * *", duration: "1h" }];
    await env.patch(APPLICATION, "web", {
      metadata: { annotations: { [RUN_UNTIL]: "2999-01-01T00:00:00Z" } },
      spec: { runSchedule: always },
    });
    await env.waitFor(APPLICATION, "web", { status: "True", reason: "Deployed" });
    await env.settled();
    await expectChanges("web", ["stopApplication Scheduled"], () =>
      env.annotate(APPLICATION, "web", { [RUN_UNTIL]: null }),
    );
  });

  it("is the loss where it was gone from the platform", async () => {
    const id = idOf(
      await env.ready(project("back", { lifecycle: { onMissing: "Recreate", deletionPolicy: "Delete" } })),
    );
    await env.settled();
    await expectChanges("back", ["createProject Recreated"], () => removeRecord(env.platform.sim, id));
  });

  it("is the deletion at the end", async () => {
    await expectChanges("back", ["deleteProject Deleted"], () => env.remove(PROJECT, "back"));
  });

  it("are all reported", () => {
    expect([...found].toSorted()).toEqual(Object.keys(CAUSES).toSorted());
  });
});
