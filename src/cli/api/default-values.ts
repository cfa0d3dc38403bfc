/** `default-values`: the default values of a helm chart. */
import { command } from "../base/command.ts";
import { readObject } from "../base/files.ts";

export const defaultValues = command({
  asks: "platform",
  args: [{ name: "environment", about: "id of the environment, or the name of a PlatformEnvironment" }],
  flags: {
    file: {
      is: "text",
      short: "f",
      value: "FILE",
      required: true,
      about: "where the chart comes from, as JSON or YAML in the platform's own spelling; - for standard input",
    },
  },
  details: "Prints the values as the platform says them. Changes nothing.",
  run: async (call) => {
    const source = await readObject(call.io, call.flags.file);
    const { platform, id } = await call.target(call.args.environment, ["PlatformEnvironment"]);
    const values = await platform.environments.helmDefaultValues(id, source);
    call.io.stdout.write(values.endsWith("\n") ? values : `${values}\n`);
  },
});
