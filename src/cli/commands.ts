/** The commands: what each takes, and the module that runs it, which is loaded when the command is called. */
import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";

import { OPERATOR, OPERATOR_VERSION } from "../config/names.ts";
import { action, type Call, type Invocation, type ProgramName } from "./base/call.ts";
import { EXIT } from "./base/exit.ts";
import type { Host } from "./base/io.ts";
import { SHORT_FLAGS, SWITCH_FLAGS, VALUE_FLAGS } from "./base/kubectl.ts";
import type { Format } from "./base/render.ts";

/** The width of the help, in columns. */
const WIDTH = 120;

const LIST = ["table", "wide", "json", "yaml", "name"] as const;

/** A program, and the exit code of the command that it has run. */
export interface Program {
  readonly command: Command;
  readonly exitCode: () => number;
}

/** @returns the plugin of kubectl */
export function createPluginProgram(host: Host): Program {
  const { command, running, exitCode } = createBase("kubectl platform", host);
  command.description("Shows what the platform operator manages, and what it does on the platform.");

  command.commandsGroup("View:");
  command
    .command("tree")
    .description("show resources as a tree, with their states")
    .argument("[project]", "a PlatformProject, to show only its objects")
    .option("-w, --watch", "update the tree on a terminal, otherwise print every change")
    .addOption(allNamespaces())
    .addOption(output([...LIST, "dot"]))
    .action(running(async () => (await import("./objects/tree.ts")).treeCommand));
  command
    .command("status")
    .description("show everything about one or more objects")
    .addArgument(objects())
    .option("--remote", "compare the spec with the platform, field by field, differing fields first")
    .addOption(output(["table", "json", "yaml", "name"]))
    .action(running(async () => (await import("./objects/status.ts")).statusCommand));
  command
    .command("trace")
    .description("show what an object waits for, up to its connection, and name the cause")
    .addArgument(object())
    .addOption(output(["table", "json", "yaml", "name"]))
    .action(running(async () => (await import("./objects/trace.ts")).traceCommand))
    .addHelpText("after", "\nExits with 1 if the object, or an object that it refers to, is not Ready.");
  command
    .command("history")
    .description("list the deployments of an application")
    .addArgument(application())
    .addOption(output(LIST))
    .action(running(async () => (await import("./objects/deploy.ts")).historyCommand))
    .addHelpText("after", "\nThe status keeps up to eleven deployments; rollback --to takes their numbers.");
  command
    .command("logs")
    .description("print the log of an application")
    .addArgument(application())
    .addOption(new Option("--tail <n>", "number of lines").argParser(countFrom(1)).default(100))
    .option("-f, --follow", "follow the log until Ctrl-C")
    .action(running(async () => (await import("./objects/logs.ts")).logsCommand));
  const orphans = command
    .command("orphans")
    .description("list objects that stayed on the platform after their resource was deleted")
    .addOption(allNamespaces())
    .addOption(output(LIST))
    .action(running(async () => (await import("./objects/orphans.ts")).orphansCommand))
    .addHelpText("after", "\nA resource that is created again with the same name adopts its orphan.");
  orphans
    .command("forget")
    .description("remove objects from that list; they stay on the platform")
    .argument("<id...>", "id on the platform; several may follow")
    .addOption(dryRun())
    .action(running(async () => (await import("./objects/orphans.ts")).forgetCommand));
  command
    .command("plan")
    .description("show what the operator would do if the files were applied")
    .option("-f, --filename <file...>", "manifests, as in kubectl apply: files, directories, URLs, - for stdin")
    .option("-k, --kustomize <dir>", "a kustomization, as in kubectl apply")
    .option("-R, --recursive", "also read subdirectories")
    .addOption(output(["table", "json", "yaml", "name"]))
    .action(running(async () => (await import("./objects/plan/index.ts")).planCommand))
    .addHelpText(
      "after",
      "\nReads the cluster and the platform, and writes nothing. Exits with 0 if the platform would not be changed,\n" +
        "2 if it would be changed, 1 if a resource cannot be planned.",
    );

  command.commandsGroup("Change:");
  command
    .command("deploy")
    .description("deploy a commit of an application: sets spec.deploy.gitCommitId")
    .addArgument(application())
    .argument("<commit>", "id of the commit")
    .addOption(dryRun())
    .addOption(wait())
    .addOption(timeout())
    .action(running(async () => (await import("./objects/deploy.ts")).deployCommand))
    .addHelpText("after", APPLIED_ELSEWHERE);
  command
    .command("rollback")
    .description("deploy an earlier commit of an application")
    .addArgument(application())
    .addOption(
      new Option("--to <n>", "number in the history; the last other commit that ran by default").argParser(
        countFrom(1),
      ),
    )
    .addOption(dryRun())
    .addOption(wait())
    .addOption(timeout())
    .action(running(async () => (await import("./objects/deploy.ts")).rollbackCommand))
    .addHelpText("after", APPLIED_ELSEWHERE);
  command
    .command("reconcile")
    .description("request a reconcile of objects now")
    .addArgument(objects())
    .addOption(dryRun())
    .addOption(wait())
    .addOption(timeout())
    .action(running(async () => (await import("./objects/reconcile.ts")).reconcileCommand))
    .addHelpText(
      "after",
      "\nA failed deployment is retried once. With --wait, an object that is Stalled already has 30 seconds to begin.",
    );
  command
    .command("approve")
    .description("approve the plan of an object")
    .addArgument(object())
    .option("--hash <hash>", "approve only this plan; fails if another plan is pending")
    .addOption(dryRun())
    .action(running(async () => (await import("./objects/decisions.ts")).approveCommand))
    .addHelpText("after", "\nApproves the plan by its hash: a plan that changes in the meantime is not approved.");
  command
    .command("resolve")
    .description("decide what the operator cannot decide by itself")
    .addArgument(object())
    .option("--id <uuid>", "for CreateResultUnknown and DuplicateRemote: the object's id on the platform")
    .option("--recreate", "for CreateResultUnknown: nothing was created, so create the object")
    .option("--adopt", "for ForeignLedger: the other installation has stopped, so take over the object")
    .option("--proceed", "for MassChangeHeld on a connection: allow the changes")
    .addOption(dryRun())
    .action(running(async () => (await import("./objects/decisions.ts")).resolveCommand))
    .addHelpText("after", "\nTakes exactly one decision. The operator does not verify it: look at the platform first.");
  command
    .command("pause")
    .description("pause the reconciliation of objects")
    .addArgument(objects())
    .addOption(dryRun())
    .action(running(async () => (await import("./objects/decisions.ts")).pauseCommand))
    .addHelpText(
      "after",
      "\nThe operator neither reads nor changes a paused object on the platform, except to delete it.",
    );
  command
    .command("resume")
    .description("resume paused objects")
    .addArgument(objects())
    .addOption(dryRun())
    .addOption(wait())
    .addOption(timeout())
    .action(running(async () => (await import("./objects/decisions.ts")).resumeCommand));

  command.commandsGroup("Platform:");
  command
    .command("api")
    .description("call an operation of the platform's API; lists the operations without an argument")
    .argument("[operation]", "name of the operation, e.g. listProjects")
    .addOption(
      new Option("--param <name=value>", "a parameter; an id may be kind/name of a resource, e.g. papp/api")
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([] as readonly string[], "none"),
    )
    .option("-f, --filename <file>", "body of the request in JSON or YAML; - for stdin")
    .option("-q, --query <jsonpath>", "print only what this JSONPath selects (RFC 9535), e.g. '$.results[*].name'")
    .action(running(async () => (await import("./api.ts")).apiCommand));
  command
    .command("export")
    .description("export objects of the platform as YAML that adopts them")
    .addOption(
      new Option("--project <id|name>", "only this project; may be given several times")
        .argParser((value: string, before: readonly string[]) => [...before, value])
        .default([] as readonly string[], "all, and the clusters"),
    )
    .option("--observe-only", "write manifests with managementPolicy ObserveOnly, which never change the platform")
    .option("-o, --output <dir>", "directory to write one file per project to")
    .action(running(async () => (await import("./objects/export/index.ts")).exportCommand))
    .addHelpText(
      "after",
      "\nWhen the YAML is applied, the operator adopts the existing objects without a write to the platform. Values of\n" +
        "variables and secrets are not read and stay unchanged; comments list their keys.",
    );

  command.commandsGroup("Installation:");
  checkCommand(command, running);
  command
    .command("report")
    .description("write a support bundle, without secrets")
    .addOption(
      new Option("-f, --filename <file>", "archive ending in .tar.gz or .tgz, or a directory").default(
        "platform-report.tar.gz",
      ),
    )
    .addOption(allNamespaces())
    .action(running(async () => (await import("./objects/report/index.ts")).reportCommand))
    .addHelpText(
      "after",
      "\nContains the custom resources with masked values, events, versions, the operator's Deployment, and the results of\n" +
        "check. Contains no Secrets, ConfigMaps or logs. Review the bundle before you share it.",
    );
  return { command, exitCode };
}

/** @returns the operator's own program, without the command `run` (run.ts), which parses its flags itself */
export function createOperatorProgram(host: Host): Program {
  const { command, running, exitCode } = createBase("platform-operator", host);
  command.description("Runs the operator, and checks its installation from inside the cluster.");
  command.command("run").description("run the operator; run --help lists its flags");
  checkCommand(command, running);
  return { command, exitCode };
}

const APPLIED_ELSEWHERE =
  "\nThe command says who else sets this field (Argo CD, Flux, Helm, kubectl apply), and what happens then. With --wait it\n" +
  "exits with 0 when the commit is deployed, 1 when the deployment failed, 3 after the timeout; the end of a failed\n" +
  "deployment's log is printed.";

function checkCommand(command: Command, running: Running): void {
  command
    .command("check")
    .description("check the installation and the connections, and show what to fix")
    .option("--pre", "only check what is needed before the installation")
    .option("--installation", "only check the installation: CRDs, and the operator's lease and rights")
    .option("--uninstall", "only list what prevents an uninstallation; of all namespaces without -n")
    .addOption(new Option("--service-account <name>", "ServiceAccount of the operator").default(OPERATOR))
    .addOption(new Option("--wait <duration>", "repeat until the checks succeed, e.g. 2m").argParser(duration))
    .addOption(output(["table", "json", "yaml"]))
    .action(running(async () => (await import("./objects/check/index.ts")).checkCommand))
    .addHelpText("after", "\nExits with 1 if a check fails, 3 if one still fails after --wait.");
}

type Running = ReturnType<typeof createBase>["running"];

/** Creates a program with the options of all commands. */
function createBase(name: ProgramName, host: Host) {
  let code: number = EXIT.ok;
  const { io } = host;
  const command = new Command(name)
    .version(OPERATOR_VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print the help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
    })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      "after",
      "\nEvery command takes kubectl's global flags too (kubectl options). Exit codes: 0 done, 1 failed, 2 a plan has changes,\n" +
        "3 timeout, 64 wrong usage, 130 Ctrl-C.",
    )
    .option("--connection <[kind/]name>", "connection; the object's, else the default of the namespace or cluster")
    .addOption(
      new Option(
        "--operator-namespace <name>",
        "namespace of the operator, with the Secrets of ClusterPlatformConnections",
      ).default(OPERATOR),
    )
    .option(
      "--allowed-platform-hosts <host,…>",
      "hosts that may receive the token; every public host by default " +
        "(or $PLATFORM_OPERATOR_ALLOWED_PLATFORM_HOSTS)",
    )
    .option(
      "--allow-insecure-platform",
      "allow http and private addresses (or $PLATFORM_OPERATOR_ALLOW_INSECURE_PLATFORM)",
    );
  for (const option of kubectlOptions()) command.addOption(option);
  const invocation = (): Invocation => ({ host, program: name, shared: command.opts() });
  /** Returns the action of a command. @param load loads its function */
  const running = <Given extends readonly unknown[]>(
    load: () => Promise<(call: Call, ...given: Given) => Promise<number | void> | number | void>,
  ) =>
    action(invocation, load, (ended) => {
      code = ended;
    });
  return { command: command as Command, running, exitCode: () => code };
}

/** The flags of kubectl that the help shows. */
const SHOWN: Readonly<Record<string, string>> = {
  namespace: "namespace; that of the context by default",
  context: "context of the kubeconfig",
  kubeconfig: "path of the kubeconfig",
};

/** Returns kubectl's global flags, which kubectl reads from the command line (kubectl.ts). */
function kubectlOptions(): readonly Option[] {
  const shorts = new Map(Object.entries(SHORT_FLAGS).map(([short, long]) => [long as string, `-${short}, `]));
  const valued = Object.entries(VALUE_FLAGS).map(
    ([name, value]) =>
      new Option(`${shorts.get(name) ?? ""}--${name} <${value.toLowerCase()}>`, SHOWN[name] ?? "as in kubectl"),
  );
  const switches = SWITCH_FLAGS.map((name) => new Option(`--${name} [bool]`, "as in kubectl"));
  return [...valued, ...switches].map((option) => option.hideHelp(SHOWN[option.name()] === undefined));
}

function output<const Formats extends readonly Format[]>(formats: Formats) {
  return new Option("-o, --output <format>", "format of the output").choices(formats).default(formats[0]);
}

function allNamespaces() {
  return new Option("-A, --all-namespaces", "use all namespaces");
}

function dryRun() {
  return new Option("--dry-run <strategy>", "have the API server check the change without storing it").choices([
    "server",
  ] as const);
}

function wait() {
  return new Option("--wait", "wait until the objects are Ready or Stalled");
}

function timeout() {
  return new Option("--timeout <duration>", "how long to wait, e.g. 90s or 10m")
    .argParser(duration)
    .default(300_000, "5m");
}

function object() {
  return new Argument("<object>", "kind and name, e.g. papp/api");
}

function objects() {
  return new Argument("<object...>", "kind and name, e.g. papp/api; several may follow");
}

function application() {
  return new Argument("<application>", "a PlatformApplication, e.g. papp/api, or its name alone");
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads a duration as kubectl writes it, e.g. 90s or 1m30s. @returns milliseconds */
function duration(text: string): number {
  if (!/^(?:\d{1,9}(?:ms|[smh]))+$/.test(text)) throw new InvalidArgumentError("Give a duration such as 90s or 1m30s.");
  const parts = [...text.matchAll(/(\d+)(ms|[smh])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

function countFrom(min: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < min) {
      throw new InvalidArgumentError(`Give a whole number from ${min} on.`);
    }
    return Number(text);
  };
}
