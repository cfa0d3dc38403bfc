import { readdir, readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";

import { defineConfig, type OutputOptions, type Plugin, type RolldownOptions } from "rolldown";
import { z } from "zod";

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });
const LEGAL = /^(un)?licen[cs]e|^notice|^copying/i;
const RULE = "=".repeat(80);

/**
 * @param paths of modules in a bundler's output or its source map
 * @returns the packages' folders, from node_modules on as package-lock.json names them, sorted
 */
export function packageFolders(paths: readonly string[]): readonly string[] {
  const folders = paths.flatMap((path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  return [...new Set(folders)].toSorted();
}

/**
 * @param paths of modules on this machine
 * @returns the licences of all packages in one text: the files of that name, else the entry in package.json
 * @throws Error with the name of a package without a licence
 */
async function licencesOf(paths: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    packageFolders(paths).map((folder) => {
      // A package may be installed above this project.
      const path = paths.find((one) => !one.startsWith("\0") && one.includes(`/${folder}/`)) ?? "";
      return licenceOf(path.slice(0, path.indexOf(`/${folder}/`) + folder.length + 1), folder);
    }),
  );
  return ["The bundle has code of these packages. Their licences follow.", ...parts].join(`\n\n${RULE}\n`);
}

async function licenceOf(dir: string, folder: string): Promise<string> {
  const { data, error } = Manifest.safeParse(JSON.parse(await readFile(join(dir, "package.json"), "utf8")));
  if (data === undefined) throw new Error(`${folder}/package.json names no licence: ${error.message}`);
  const files = (await readdir(dir)).filter((name) => LEGAL.test(name)).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(dir, name), "utf8")));
  const said = texts.length === 0 ? [`${data.license}; the package has no text of it.`] : texts;
  return [`${data.name} ${data.version} (${data.license})`, ...said.map((text) => text.trim())].join("\n\n");
}

/** Writes the licences, which must be distributed with the packages, beside the bundle; the image has them too. */
const licences: Plugin = {
  name: "licences",
  async generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
    this.emitFile({ type: "asset", fileName: "third-party-licences.txt", source: await licencesOf(modules) });
  },
};

const BUILTIN = "\0builtin:";

/**
 * Loads Node's modules when the first module that uses them is evaluated. As static imports they would all be loaded at
 * start, and each with everything that it exports: `node:http` alone takes 10 ms, as it exports Node's own undici.
 */
const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  resolveId(specifier, importer, { kind }) {
    // The runtime of rolldown itself has to stay as it is.
    if (kind !== "import-statement" || importer?.startsWith("\0") !== false || !isBuiltin(specifier)) return undefined;
    return { id: `${BUILTIN}${specifier.replace(/^node:/, "")}`, moduleSideEffects: false };
  },
  load(id) {
    if (!id.startsWith(BUILTIN)) return undefined;
    const name = `node:${id.slice(BUILTIN.length)}`;
    const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => key !== "default");
    return [
      `const builtin = process.getBuiltinModule(${JSON.stringify(name)});`,
      "export default builtin;",
      ...names.map((key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`),
    ].join("\n");
  },
};

const UNDICI = "\0undici";

/**
 * Takes of undici what sends a request. Its entry loads `fetch`, caches, WebSockets and mocks as well.
 */
const slimUndici: Plugin = {
  name: "slim-undici",
  resolveId: (specifier) => (specifier === "undici" ? UNDICI : undefined),
  load(id) {
    if (id !== UNDICI) return undefined;
    const modules = {
      Agent: "dispatcher/agent",
      Pool: "dispatcher/pool",
      ProxyAgent: "dispatcher/proxy-agent",
      buildConnector: "core/connect",
    };
    return [
      'import api from "undici/lib/api/index.js";',
      'import Dispatcher from "undici/lib/dispatcher/dispatcher.js";',
      "Object.assign(Dispatcher.prototype, api);",
      // The generated client of client-node imports it; nothing calls that.
      "export const fetch = undefined;",
      ...Object.entries(modules).map(([name, path]) => `export { default as ${name} } from "undici/lib/${path}.js";`),
    ].join("\n");
  },
};

/** The program of the plugin: it loads the modules beside it. */
const pluginEntry: Plugin = {
  name: "plugin-entry",
  async generateBundle() {
    const source = await readFile(join(import.meta.dirname, "src/kubectl-platform.cjs"));
    this.emitFile({ type: "asset", fileName: "kubectl-platform.cjs", source });
  },
};

/** Tests build into a folder of their own. */
const dist = process.env["DIST"] ?? "dist";

const shared: RolldownOptions = {
  platform: "node",
  plugins: [lazyBuiltins, slimUndici, licences],
  // It is types alone around commander.
  resolve: { alias: { "@commander-js/extra-typings": "commander" } },
  treeshake: {
    // Of the client only the kubeconfig's part is used. Its package does not say that its modules have no side effects.
    moduleSideEffects: (id) => !id.includes("/node_modules/@kubernetes/client-node/"),
  },
};

const output: OutputOptions = {
  format: "esm",
  sourcemap: true,
  // V8 holds the source as long as the process runs: in two bytes a character unless all of them are Latin-1.
  charset: "ascii",
  comments: false,
};

export default defineConfig([
  // One file with everything in it: the image needs no node_modules, and it starts three times faster.
  {
    ...shared,
    input: "src/main.ts",
    output: { ...output, file: join(dist, "operator.js"), banner: "#!/usr/bin/env node", codeSplitting: false },
  },
  // A file for each part that is loaded on demand: kubectl is started before the rest is loaded.
  {
    ...shared,
    input: "src/plugin.ts",
    plugins: [lazyBuiltins, slimUndici, licences, pluginEntry],
    output: {
      ...output,
      dir: join(dist, "plugin"),
      cleanDir: true,
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name].mjs",
      sourcemap: false,
    },
  },
]);
