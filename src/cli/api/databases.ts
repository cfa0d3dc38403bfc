/** `database deploy` and `database stop`. */
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { command, type Command } from "../base/command.ts";
import { CliError, EXIT } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { printOne } from "../base/render.ts";
import { DATABASE } from "./shared/arguments.ts";
import { follow, WAIT, type Following } from "./shared/follow.ts";
import { serviceView } from "./shared/service-view.ts";

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
