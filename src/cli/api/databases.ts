/** `database deploy` and `database stop`. */
import type { Platform } from "../../platform/index.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { command, type Command } from "../command.ts";
import { CliError, EXIT } from "../exit.ts";
import { LIST_FORMATS } from "../globals.ts";
import { printOne } from "../render.ts";
import { DATABASE } from "./arguments.ts";
import { follow, WAIT, type Following } from "./follow.ts";
import { serviceView } from "./service-view.ts";

export const databaseDeploy = action("running", ({ databases }, id) => databases.deploy(id));
export const databaseStop = action("stopped", ({ databases }, id) => databases.stop(id));

function action(
  wanted: Following["wanted"],
  act: (platform: Platform, id: string) => Promise<ServiceStatus | undefined>,
): Command {
  return command({
    asks: "platform",
    formats: LIST_FORMATS,
    args: [DATABASE],
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
