#!/usr/bin/env node
// The entry of the plugin, without new syntax: it has to run on the Node that it refuses, which may not parse
// the bundle. Node keeps the compiled bundle in the user's own cache, which halves its start.
const nodeModule = require("module");
const os = require("os");
const path = require("path");

const NEEDED = 24;
const version = process.versions.node;
if (Number(version.split(".")[0]) < NEEDED) {
  // As src/node-version.ts says it.
  process.stderr.write(
    `The operator and its kubectl plugin need Node ${NEEDED} or later; this is Node ${version} (${process.execPath}).\n` +
      `Install Node ${NEEDED}, or put it first on the PATH.\n`,
  );
  process.exit(1);
}
const cache = process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache");
// Without a home the path would be in the current folder, where another user may write.
if (path.isAbsolute(cache)) nodeModule.enableCompileCache(path.join(cache, "kubectl-platform"));
void import(path.join(__dirname, "plugin.mjs"));
