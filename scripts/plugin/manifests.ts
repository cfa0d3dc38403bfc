/** The manifests of the kubectl plugin: npm's and Krew's. Pure. */
interface Facts {
  readonly version: string;
  readonly license: string;
  readonly engines: { readonly node: string };
}

/** The program; the bundle is beside it. */
export const ENTRY = "kubectl-platform.cjs";

const HOME = "https://github.com/platform-operator/platform-operator";
const ABOUT = "Show, plan and adopt what the platform operator manages";

/** @returns the package.json of the plugin, without dependencies: the bundle contains them */
export function pluginPackage({ version, license, engines }: Facts): object {
  return {
    name: "kubectl-platform",
    version,
    description: ABOUT,
    license,
    homepage: HOME,
    type: "module",
    engines,
    bin: { "kubectl-platform": ENTRY, "kubectl_complete-platform": ENTRY },
    files: [ENTRY, "operator.js", "LICENSE", "third-party-licences.txt"],
  };
}

/** @returns the plugin manifest of Krew. @param facts `sha256` is that of npm's archive, an asset of the release */
export function krewManifest({ version, engines, sha256 }: Facts & { readonly sha256: string }): object {
  return {
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "platform" },
    spec: {
      version: `v${version}`,
      homepage: HOME,
      shortDescription: ABOUT,
      description:
        "Shows the platform's objects and their state, what applying a file would change, and adopts what exists.",
      caveats: `Needs Node ${engines.node} on the PATH.`,
      platforms: [
        {
          selector: { matchExpressions: [{ key: "os", operator: "In", values: ["linux", "darwin"] }] },
          uri: `${HOME}/releases/download/v${version}/kubectl-platform-${version}.tgz`,
          sha256,
          bin: ENTRY,
          files: [{ from: "package/*", to: "." }],
        },
      ],
    },
  };
}
