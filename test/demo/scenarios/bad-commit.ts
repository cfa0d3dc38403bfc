import { changeCommit, COMMITS, type Scenario } from "./scene.ts";

export const badCommit: Scenario = {
  name: "bad-commit",
  about: "a commit that does not build",
  surface: undefined,
  play: async ({ say, kubectl, conditions, until, untilDeployed }) => {
    say("Somebody deploys a commit that does not build.");
    await kubectl(...changeCommit("api", COMMITS.bad));
    await until("PlatformApplication", "api", "Stalled", { status: "True", reason: "BuildFailed" });

    say("The build failed. The operator reports why and waits for a person; it does not try the same commit again.");
    await kubectl("get", "papp");
    conditions("PlatformApplication", "api", "Ready", "Stalled", "Deployed");
    await kubectl("events", "--for", "papp/api");

    say("A good commit resolves it.");
    await kubectl(...changeCommit("api", COMMITS.good));
    await untilDeployed("api", COMMITS.good);
    await kubectl("get", "papp");
    conditions("PlatformApplication", "api", "Ready", "Deployed");
  },
};
