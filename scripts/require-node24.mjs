// Plain JavaScript without new syntax: it has to run on the Node that it refuses.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 24 || (major === 24 && minor < 11)) {
  console.error(
    [
      `platform-operator needs Node 24.11 or later; this is ${process.versions.node} (${process.execPath}).`,
      "On Linux (x64, arm64) `npm ci` puts Node 24 into node_modules/.bin, and `make` and `npm run` use it from there.",
      "Elsewhere install Node 24 (see .nvmrc), for example with `nvm install`.",
    ].join("\n"),
  );
  process.exit(1);
}
