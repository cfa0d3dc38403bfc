import { changeCommit, COMMITS, type Scenario } from "./scene.ts";

const FAULT = { name: "outage", count: null, answer: { is: "status", status: 503 } };

export const outage: Scenario = {
  name: "outage",
  about: "the platform is down for a while, and somebody deploys meanwhile",
  surface: undefined,
  play: async ({ say, note, kubectl, control, conditions, requestReconcile, until, untilDeployed, simulator }) => {
    say("The platform goes down: every call is answered with 503.");
    await control("POST", "/faults", FAULT);
    await requestReconcile("pconn/default");
    await until("PlatformConnection", "default", "Synced", { status: "False", reason: "PlatformUnavailable" });

    say("The outage is reported once, on the connection. Settled resources stay Ready.");
    conditions("PlatformConnection", "default", "Ready", "Synced");
    await kubectl("events", "--for", "pconn/default");

    say("Meanwhile somebody deploys a commit. It has to wait, and its status says for what.");
    await kubectl(...changeCommit("api", COMMITS.good));
    await until("PlatformApplication", "api", "Ready", { status: "False", reason: "ConnectionNotReady" });
    await kubectl("get", "papp");
    conditions("PlatformApplication", "api", "Ready", "Reconciling");

    say("The platform is back. The deployment continues by itself.");
    await control("DELETE", "/faults?name=outage");
    await until("PlatformConnection", "default", "Synced", { status: "True" });
    await untilDeployed("api", COMMITS.good);
    await kubectl("get", "papp");
    const deploys = simulator
      .journal()
      .filter((entry) => entry.is === "call" && entry.operation === "deployApplication" && entry.status === 200)
      .filter((entry) => JSON.stringify(entry).includes(COMMITS.good));
    if (deploys.length !== 1) throw new Error(`the commit was deployed ${deploys.length} times instead of once`);
    note("The platform was asked for that deployment once.");
  },
};
