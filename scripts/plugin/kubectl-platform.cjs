#!/usr/bin/env node
// The entry of the packed plugin. Node keeps the compiled bundle in the user's own cache, which halves its start; an
// older Node has no such function, and is refused by the bundle.
const nodeModule = require("module");
const os = require("os");
const path = require("path");

const cache = process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache");
// Without a home the path would be one of the current folder, where others may write.
if (nodeModule.enableCompileCache !== undefined && path.isAbsolute(cache)) {
  nodeModule.enableCompileCache(path.join(cache, "kubectl-platform"));
}
void import(path.join(__dirname, "operator.js"));
