/**
 * Finds, installs or builds every program of the end-to-end tests, one after the other. `make e2e` runs it before them:
 * on a fresh machine it takes minutes, more than a test should wait while others use the cores. Writes
 * deploy/install.yaml when the chart has changed, as it has helm.
 */
import { installIsStale, writeInstall } from "../../scripts/chart/manifest.ts";
import { basicTools, findBinaries } from "../control-plane/binaries.ts";
import { findArgoCd } from "../tools/argocd.ts";
import { DEBIAN_PROGRAMS, type DebianProgram, findDebianProgram } from "../tools/debian.ts";
import { findGoTool, type GoToolName } from "../tools/go-tools.ts";
import { findKstatus } from "../tools/kstatus.ts";

const BUILT: readonly GoToolName[] = ["kwok", "helm", "kube-score"];

// A download has only the basic ones.
await findBinaries();
await findBinaries({ tools: [...basicTools, "kube-controller-manager", "kube-scheduler"] });
for (const tool of BUILT) await findGoTool(tool);
if (await installIsStale()) await writeInstall(await findGoTool("helm"));
await findKstatus();
await findArgoCd();
for (const program of Object.keys(DEBIAN_PROGRAMS) as DebianProgram[]) await findDebianProgram(program);
