/** `deploy`, `database deploy` and `database stop`: requests that can be followed to their end. */
import { member, stringMember } from "../../kube/api/json.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import type { Entry } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printOne } from "../base/render.ts";
import { apiCommand, APPLICATION } from "./declare.ts";
import { follow, lookAtApplication, WAIT, type Following } from "./follow.ts";
import { serviceView } from "./services.ts";

const LAST_LINES = 20;

export const deploy = apiCommand({
  name: "deploy",
  about: "deploy one commit of an application",
  operations: ["deployApplication", "getApplicationStatus", "getDeploymentStatus", "getApplicationLog"],
  formats: LIST_FORMATS,
  args: [APPLICATION],
  flags: {
    commit: { is: "text", value: "SHA", required: true, about: "the commit to deploy" },
    ...WAIT,
  },
  details:
    "For an application whose commit is in a PlatformApplication, change spec.deploy.gitCommitId there instead: the " +
    "operator reports a deployment of another commit as drift.",
  run: async (call) => {
    const { commit, wait, timeout: timeoutMs } = call.flags;
    const target = await call.target(call.args.application, ["PlatformApplication"]);
    const { platform, id, object } = target;
    const declared = stringMember(member(object?.spec, "deploy"), "gitCommitId");
    if (declared !== undefined && declared !== commit) {
      call.tell(`The PlatformApplication asks for commit ${declared}; this deployment will show as drift.`);
    }
    const before = wait ? await platform.applications.status(id) : undefined;
    const started = await platform.applications.deploy(id, commit);
    if (!wait) {
      if (started !== undefined) await printOne(call, serviceView("application"), started);
      call.tell(`The deployment of ${commit} is requested.`);
      return EXIT.ok;
    }
    const request = started?.deploymentRequestId;
    const later = request === undefined ? `app-status ${call.args.application}` : `deployment ${request}`;
    const look = lookAtApplication(target, started, before);
    try {
      const code = await follow(call, { wanted: "running", timeoutMs, look, later });
      if (code === EXIT.ok) await printOne(call, serviceView("application"), await platform.applications.status(id));
      return code;
    } catch (error) {
      if (error instanceof CliError) await printLog();
      throw error;
    }

    /** Prints the end of the application's log, if it can be read. */
    async function printLog(): Promise<void> {
      const lines = await platform.applications.log(id, LAST_LINES).catch(() => []);
      const { printable } = await import("../../text/text.ts");
      for (const line of lines) call.tell(`| ${printable(line)}`);
    }
  },
});

export const databaseDeploy = databaseAction({
  name: "database deploy",
  about: "deploy a database, or start a stopped one",
  operations: ["deployDatabase", "getDeploymentStatus"],
  wanted: "running",
  act: ({ databases }, id) => databases.deploy(id),
});

export const databaseStop = databaseAction({
  name: "database stop",
  about: "stop a database",
  operations: ["stopDatabase", "getDeploymentStatus"],
  wanted: "stopped",
  act: ({ databases }, id) => databases.stop(id),
});

interface DatabaseAction extends Pick<Entry, "name" | "about" | "operations"> {
  readonly wanted: Following["wanted"];
  readonly act: (platform: Platform, id: string) => Promise<ServiceStatus | undefined>;
}

function databaseAction({ wanted, act, ...entry }: DatabaseAction): Entry {
  return apiCommand({
    ...entry,
    formats: LIST_FORMATS,
    args: [{ name: "database", about: "id of the database, or the name of a PlatformDatabase" }],
    flags: WAIT,
    run: async (call) => {
      const { platform, id } = await call.target(call.args.database, ["PlatformDatabase"]);
      const started = await act(platform, id);
      if (started === undefined) call.tell("The platform accepted it and says no more.");
      else await printOne(call, serviceView("database"), started);
      if (!call.flags.wait) return EXIT.ok;
      const request = started?.deploymentRequestId;
      // The status of a database cannot be read by its id, on either surface.
      if (request === undefined) throw new CliError("The platform named no request that could be waited for.");
      return follow(call, {
        wanted,
        timeoutMs: call.flags.timeout,
        look: async () => (await platform.deployments.status(request)).status,
        later: `deployment ${request}`,
      });
    },
  });
}
