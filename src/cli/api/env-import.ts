/** `env import`: variables and secrets from a .env file. */
import { parseEnv } from "node:util";

import { CliError, EXIT, UsageError } from "../base/exit.ts";
import { LIST_FORMATS } from "../base/globals.ts";
import { readText } from "../base/io.ts";
import { printList, type View } from "../base/render.ts";
import { apiCommand, APPLICATION } from "./declare.ts";

interface Line {
  readonly name: string;
  readonly secret: boolean;
  readonly imported: boolean;
}

const view: View<Line> = {
  columns: { KEY: "name", SECRET: "secret", IMPORTED: "imported" },
  name: ({ name, secret }) => `${secret ? "secret" : "variable"}/${name}`,
};

export const envImport = apiCommand({
  name: "env import",
  about: "import variables and secrets of an application from a file",
  operations: ["importVariables"],
  formats: LIST_FORMATS,
  args: [APPLICATION],
  flags: {
    file: {
      is: "text",
      short: "f",
      value: "FILE",
      fallback: ".env",
      about: "file of KEY=value lines; - for standard input",
    },
    secret: { is: "list", value: "KEY", about: "import this one as a secret" },
    overwrite: { is: "switch", about: "replace variables that exist; of a secret, where the platform does that" },
    scope: { is: "text", value: "SCOPE", about: "where they belong; APPLICATION on a full surface, else not sent" },
  },
  details: "Values are never shown. Ends with 1 when not all were imported.",
  run: async (call) => {
    const { file, overwrite, secret } = call.flags;
    const entries = Object.entries(parseEnv(await readText(call.io, file)));
    if (entries.length === 0) throw new CliError(`${file} has no lines of the form KEY=value.`);
    const unknown = secret.filter((key) => !entries.some(([name]) => name === key));
    if (unknown.length > 0) throw new UsageError(`--secret names ${unknown.join(", ")}, which ${file} does not have.`);

    const { platform, id, access } = await call.target(call.args.application, ["PlatformApplication"]);
    const { surfaceOf } = await import("../base/surface.ts");
    const scope = call.flags.scope ?? ((await surfaceOf(access)) === "Full" ? "APPLICATION" : undefined);
    const vars = entries.map(([name, value = ""]) => ({
      name,
      value,
      isSecret: secret.includes(name),
      ...(scope === undefined ? {} : { scope }),
    }));
    const answer = await platform.variables.import(id, { overwrite, vars });
    if (answer === undefined) {
      call.tell("The platform accepted it and says no more.");
      return EXIT.ok;
    }
    const done = new Set(answer.successfulImportedVariables.map(({ name }) => name));
    const lines = vars.map(({ name, isSecret }) => ({ name, secret: isSecret, imported: done.has(name) }));
    await printList(call, view, lines);
    const total = answer.totalVariablesToImport ?? vars.length;
    call.tell(`Imported ${done.size} of ${total}. They take effect with the next deployment.`);
    return done.size < total ? EXIT.failed : EXIT.ok;
  },
});
