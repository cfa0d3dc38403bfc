import { isBuiltin } from "node:module";

import { defineConfig, type Plugin } from "rolldown";

import { licencesOf, packageFolders } from "./scripts/third-party.ts";

/** Beside the bundle; the image has it too. */
const licences: Plugin = {
  name: "licences",
  async generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
    const source = await licencesOf(import.meta.dirname, packageFolders(modules));
    this.emitFile({ type: "asset", fileName: "third-party-licences.txt", source });
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

/** One file with everything in it: the image needs no node_modules, and it starts three times faster. */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  plugins: [lazyBuiltins, licences],
  treeshake: {
    // Of the client only the kubeconfig's part is used. Its package does not say that its modules have no side effects.
    moduleSideEffects: (id) => !id.includes("/node_modules/@kubernetes/client-node/"),
  },
  output: {
    file: "dist/operator.js",
    format: "esm",
    banner: "#!/usr/bin/env node",
    codeSplitting: false,
    sourcemap: true,
  },
});
