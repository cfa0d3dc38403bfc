/** The command `check`: checks CRDs, rights, operator and platform, with a remedy for each finding. */
import { OPERATOR } from "../../../config/names.ts";
import { abortableSleep } from "../../../kube/api/clock.ts";
import { command } from "../../base/command.ts";
import { EXIT, UsageError } from "../../base/exit.ts";
import { explain } from "../../base/explain.ts";
import { ALL_NAMESPACES } from "../../base/globals.ts";
import { failed, printFindings, type CheckContext, type Finding } from "./finding.ts";
import { checkCrds, checkInstallationKey, checkOperator, checkServerVersion, checkUninstall } from "./installation.ts";
import { checkConnections, checkObjects, checkPlatform } from "./platform.ts";
import { checkInstaller, checkOperatorRights, checkUser, checkWatchedNamespaces } from "./rights.ts";

export const checkCommand = command({
  asks: "platform",
  flags: {
    pre: { type: "switch", about: "only check what is needed before the installation" },
    installation: {
      type: "switch",
      about: "only check the installation: CRDs, and the operator's lease and rights",
    },
    uninstall: {
      type: "switch",
      about: "only list what prevents an uninstallation: objects with a finalizer; of all namespaces without -n",
    },
    "all-namespaces": { ...ALL_NAMESPACES["all-namespaces"], about: "with --uninstall, all namespaces; the default" },
    "service-account": { type: "text", value: "NAME", fallback: OPERATOR, about: "ServiceAccount of the operator" },
    wait: { type: "duration", about: "repeat the checks until they succeed, for at most this time, e.g. 2m" },
  },
  formats: ["table", "json", "yaml"],
  details: "The exit code is 1 if a check fails, 3 if one still fails after --wait.",
  run: async (call) => {
    const { access, flags, report, shared } = call;
    const { clock } = call.host;
    const waitMs = flags.wait ?? 0;
    const part = partOf(flags);
    const context: CheckContext = {
      cluster: await call.cluster(),
      access,
      namespace: flags["all-namespaces"] ? "" : (shared.namespace ?? ""),
      operatorNamespace: shared["operator-namespace"],
      serviceAccount: flags["service-account"],
      clock,
    };
    const interrupt = waitMs > 0 ? call.host.interrupt() : new AbortController().signal;
    const until = clock.monotonic() + waitMs;
    for (;;) {
      const isLast = clock.monotonic() >= until;
      const findings = await runChecks(context, part);
      const open = findings.filter(({ is }) => is === "failed");
      if (open.length > 0 && !isLast) {
        report(`not yet: ${open.map(({ what }) => what).join(", ")}`);
        if (await abortableSleep(clock, RETRY_MS, interrupt)) continue;
      }
      await printFindings(call, findings);
      if (open.length === 0) return EXIT.ok;
      if (!isLast) return EXIT.interrupted;
      return waitMs > 0 ? EXIT.timeout : EXIT.failed;
    }
  },
});

const RETRY_MS = 2_000;

/** The parts that a flag chooses. */
const PARTS = ["pre", "installation", "uninstall"] as const;

type Part = (typeof PARTS)[number] | "all";

/** @throws UsageError for more than one part */
function partOf(flags: Readonly<Record<(typeof PARTS)[number], boolean>>): Part {
  const [part = "all", ...more] = PARTS.filter((name) => flags[name]);
  if (more.length > 0) throw new UsageError("Give at most one of --pre, --installation and --uninstall.");
  return part;
}

interface Check {
  /** The subject of the finding when the check itself fails. */
  readonly what: string;
  /** The parts that it belongs to. */
  readonly parts: readonly Part[];
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>;
}

/** In the order in which they run. */
const CHECKS: readonly Check[] = [
  { what: "uninstall", parts: ["uninstall"], run: ({ cluster, namespace }) => checkUninstall(cluster, namespace) },
  { what: "cluster", parts: ["pre", "installation", "all"], run: ({ cluster }) => checkServerVersion(cluster) },
  { what: "your rights", parts: ["pre"], run: ({ cluster }) => checkInstaller(cluster) },
  { what: "CRDs", parts: ["installation", "all"], run: ({ cluster }) => checkCrds(cluster) },
  { what: "operator", parts: ["installation", "all"], run: checkOperator },
  { what: "installation key", parts: ["installation", "all"], run: checkInstallationKey },
  { what: "operator's rights", parts: ["installation", "all"], run: checkOperatorRights },
  { what: "watched namespaces", parts: ["installation", "all"], run: checkWatchedNamespaces },
  { what: "your rights", parts: ["all"], run: ({ cluster }) => checkUser(cluster) },
  { what: "connections", parts: ["all"], run: ({ cluster }) => checkConnections(cluster) },
  { what: "platform", parts: ["all"], run: checkPlatform },
  { what: "objects", parts: ["all"], run: ({ cluster }) => checkObjects(cluster) },
];

/**
 * Runs the checks of a part.
 * @returns their findings. A check that fails does not stop the next check, except the check of the cluster
 */
export async function runChecks(context: CheckContext, part: Part): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { what, parts, run } of CHECKS) {
    if (!parts.includes(part)) continue;
    const found = await run(context).catch((error: unknown) => [failed(what, explain(error).message)]);
    findings.push(...found);
    if (what === "cluster" && found.some(({ is }) => is === "failed")) break;
  }
  return findings;
}
