/** `deploy`: one deployment of one commit. */
import { member, stringMember } from "../../kube/api/json.ts";
import { command } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printOne } from "../base/render.ts";
import { APPLICATION } from "./shared/arguments.ts";
import { follow, lookAtApplication, WAIT } from "./shared/follow.ts";
import { serviceView } from "./shared/service-view.ts";

const LAST_LINES = 20;

export const deploy = command({
  asks: "platform",
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
