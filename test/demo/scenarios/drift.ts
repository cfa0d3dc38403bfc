import type { Service } from "../../../simulator/model/world.ts";
import { stringMember } from "../../../src/kube/api/json.ts";
import { changeCommit, COMMITS, type Scenario, type Scene } from "./scene.ts";

export const drift: Scenario = {
  name: "drift",
  about: "somebody changes things in the platform's console (needs the surface full)",
  surface: "full",
  play: async (scene) => {
    await changedSetting(scene);
    await foreignCommit(scene);
  },
};

/** The operator corrects a setting that differs from the spec. */
async function changedSetting(scene: Scene): Promise<void> {
  const { say, note, control, conditions, requestReconcile, kubectl, simulator } = scene;
  const id = remoteId(scene, "api");
  const service = (): Service | undefined => simulator.world().services.get(id);
  const cpu = (): unknown => service()?.settings["cpu"];
  const wanted = cpu();
  say(`Somebody gives the application api more CPU in the platform's console: 4000 instead of ${String(wanted)}.`);
  await control("PATCH", `/records/${id}`, { cpu: 4000 });

  say("The operator notices at its next poll (every 10 minutes, now on request) and corrects it.");
  const { seq = 0 } = simulator.journal().at(-1) ?? {};
  await requestReconcile("papp/api");
  await scene.hold(
    "the setting is put right and deployed",
    () => cpu() === wanted && service()?.deploymentStatus === "UP_TO_DATE",
  );
  await scene.until("PlatformApplication", "api", "Ready", { status: "True" });
  const calls = simulator.journal().flatMap((entry) => (entry.is === "call" && entry.seq > seq ? [entry] : []));
  for (const { method, path, operation } of calls.filter((call) => call.method !== "GET")) {
    note(`It called ${method} ${path} (${operation}).`);
  }
  note(`On the platform cpu is ${String(cpu())} again.`);
  conditions("PlatformApplication", "api", "Ready", "Drifted");
  await kubectl("events", "--for", "papp/api");
}

/** The operator reports another commit, but does not revert it, as it may be an emergency. */
async function foreignCommit(scene: Scene): Promise<void> {
  const { say, control, conditions, requestReconcile, kubectl, until, untilDeployed } = scene;
  const id = remoteId(scene, "web");
  say("Somebody deploys another commit of the application web in the console.");
  await control("POST", `/services/${id}/deploy`, { commit: COMMITS.foreign });
  await scene.hold("the foreign commit is deployed", () => {
    const service = scene.simulator.world().services.get(id);
    return service?.commit === COMMITS.foreign && service.state === "DEPLOYED";
  });
  await requestReconcile("papp/web");
  await until("PlatformApplication", "web", "Drifted", { status: "True" });

  say("That may be an emergency: the operator reports it and changes nothing.");
  await kubectl("get", "papp");
  conditions("PlatformApplication", "web", "Ready", "Drifted");
  await kubectl("events", "--for", "papp/web");

  say("It ends when the spec names the commit to run: that of the emergency, or another one.");
  await kubectl(...changeCommit("web", COMMITS.good));
  await untilDeployed("web", COMMITS.good);
  await until("PlatformApplication", "web", "Drifted", { status: "False" });
  conditions("PlatformApplication", "web", "Ready", "Drifted");
}

function remoteId({ object }: Scene, name: string): string {
  return stringMember(object("PlatformApplication", name).status, "externalId") ?? "";
}
