import { defineConfig } from "rolldown";

/** One file with everything in it: the image needs no node_modules, and it starts three times faster. */
export default defineConfig({
  input: "src/main.ts",
  platform: "node",
  output: {
    file: "dist/main.js",
    format: "esm",
    banner: "#!/usr/bin/env node",
    codeSplitting: false,
    sourcemap: true,
  },
});
