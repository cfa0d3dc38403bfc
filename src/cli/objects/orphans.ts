/** The command `orphans`: the ledger of objects that stayed on the platform when their resources were deleted. */
import { ageOf } from "../../console/tree/labels.ts";
import { forgetOrphans, orphanConfigMaps, storedOrphans } from "../../operator/orphans.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { printable } from "../../text/text.ts";
import type { Call } from "../base/call.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { nothingIn, print, type View } from "../base/render.ts";
import { fullName, shortTarget } from "../base/targets.ts";

export async function orphansCommand(
  call: Call,
  { allNamespaces }: { readonly allNamespaces?: boolean | undefined },
): Promise<void> {
  const { host, shared } = call;
  const { client, namespace } = await call.cluster();
  const entries = await storedOrphans(orphanConfigMaps(client, shared.operatorNamespace));
  const all = entries.map(({ orphan }) => orphan);
  const only = allNamespaces === true ? "" : namespace;
  const shown = all.filter((orphan) => only === "" || orphan.namespace === only);
  await print(call, viewAt(host.clock.now()), shown, nothingIn(only));
}

/** Removes entries of the ledger, which is in the operator's namespace. @throws UsageError for what is no id, CliError for an id that has no entry */
export async function forgetCommand(
  call: Call,
  ids: readonly string[],
  { dryRun }: { readonly dryRun?: "server" | undefined },
): Promise<void> {
  for (const id of ids) {
    if (!isUuidOfAnyCase(id)) throw new UsageError(`${JSON.stringify(id)} is not an id of the platform, a UUID.`);
  }
  const { io, program, shared } = call;
  const { client, place } = await call.cluster();
  const configMaps = orphanConfigMaps(client, shared.operatorNamespace);
  for (const id of ids) {
    const count = await forgetOrphans(configMaps, id, dryRun);
    if (count === 0) throw new CliError(`${id} is not in the orphan ledger. List it with: ${program} orphans -A`);
    const note = dryRun === undefined ? "" : ` (${dryRun} dry run)`;
    io.stdout.write(`${printable(place)}/${shared.operatorNamespace}/${id} forgotten${note}\n`);
  }
}

type Orphan = Awaited<ReturnType<typeof storedOrphans>>[number]["orphan"];

function viewAt(now: Date): View<Orphan> {
  return {
    columns: {
      NAMESPACE: "namespace",
      NAME: shortTarget,
      "REMOTE-ID": "id",
      REASON: "why",
      AGE: ({ at }) => ageOf(at, now),
    },
    wide: {
      "REMOTE-NAME": "externalName",
      "PARENT-ID": "parentId",
      PLATFORM: "host",
      "ORGANIZATION-ID": "organizationId",
    },
    name: fullName,
    data: ({ id, kind, namespace, name, externalName, parentId, host, organizationId, why, at }) => ({
      id,
      kind,
      namespace,
      name,
      externalName: externalName ?? null,
      parentId: parentId ?? null,
      host,
      organizationId,
      reason: why,
      since: at,
    }),
  };
}
