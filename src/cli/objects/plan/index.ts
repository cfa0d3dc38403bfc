/** The command `plan`: what the operator would do to the platform if these files were applied. Reads only. */
import { loadPlatformRules } from "../../../operator/config/config.ts";
import { command } from "../../base/command.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { PLATFORM_FLAGS } from "../../base/globals.ts";
import { readManifests } from "./manifests.ts";
import { planManifests } from "./overlay.ts";
import { show } from "./show.ts";

export const plan = command({
  asks: "cluster",
  flags: {
    filename: { is: "list", short: "f", value: "FILE|DIR", about: "manifests to plan; - is standard input" },
    recursive: { is: "switch", short: "R", about: "look into directories of directories as well" },
    "operator-namespace": PLATFORM_FLAGS["operator-namespace"],
    "allowed-platform-hosts": PLATFORM_FLAGS["allowed-platform-hosts"],
    "allow-insecure-platform": PLATFORM_FLAGS["allow-insecure-platform"],
  },
  formats: ["table", "json", "yaml", "name"],
  details:
    "Reads the cluster and the platform, and writes nothing. The exit code is 0 when nothing would be written to the\n" +
    "platform, 2 when something would, 1 when something cannot be planned.",
  run: async ({ cluster: open, flags, output, io, tell, host }) => {
    if (flags.filename.length === 0) throw new UsageError("Say what to plan with -f FILE or -f DIR.");
    const manifests = await readManifests(io, flags.filename, flags.recursive);
    const rules = loadPlatformRules({
      hosts: flags["allowed-platform-hosts"],
      insecure: flags["allow-insecure-platform"],
    });
    const rows = await planManifests(manifests, {
      cluster: await open(),
      clock: host.clock,
      rules,
      operatorNamespace: flags["operator-namespace"],
      tell,
    });
    await show(rows, output, io);
    if (rows.some(({ is }) => is === "error")) return EXIT.failed;
    return rows.some(({ is }) => is === "change") ? EXIT.changes : EXIT.ok;
  },
});
