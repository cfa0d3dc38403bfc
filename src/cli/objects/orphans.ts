/**
 * The commands `orphans` and `orphans forget`: the ledger of objects that stayed on the platform when their resources
 * were deleted.
 */
import { ageOf } from "../../console/tree/labels.ts";
import { forgetOrphans, orphanConfigMaps, storedOrphans } from "../../operator/orphans.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { command } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { ALL_NAMESPACES, PLATFORM_FLAGS } from "../base/globals.ts";
import { print, type View } from "../base/render.ts";
import { fullName, shortTarget } from "../base/targets.ts";

const OPERATOR_NAMESPACE = { ...PLATFORM_FLAGS["operator-namespace"], about: "namespace of the operator" } as const;

export const orphansCommand = command({
  asks: "cluster",
  flags: {
    namespace: { ...PLATFORM_FLAGS.namespace, about: "only orphans of this namespace; defaults to all namespaces" },
    "operator-namespace": OPERATOR_NAMESPACE,
    "all-namespaces": {
      ...ALL_NAMESPACES["all-namespaces"],
      about: "orphans of all namespaces; the default",
    },
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  details:
    "Reads the orphan ledger, ConfigMaps in the operator's namespace. A resource that is created again with the same " +
    "name adopts its orphan.",
  run: async (call) => {
    const { flags, host } = call;
    const { client } = await call.cluster();
    const entries = await storedOrphans(orphanConfigMaps(client, flags["operator-namespace"]));
    const all = entries.map(({ orphan }) => orphan);
    const only = flags["all-namespaces"] ? undefined : flags.namespace;
    const shown = all.filter(({ namespace }) => only === undefined || namespace === only);
    await print(call, viewAt(host.clock.now()), shown);
  },
});

export const forgetCommand = command({
  asks: "cluster",
  args: [{ name: "id", about: "id on the platform; several may follow", many: true }],
  flags: { "operator-namespace": OPERATOR_NAMESPACE },
  details:
    "The objects stay on the platform. A resource that is created again with the same name no longer adopts them.",
  run: async ({ cluster, args, flags, io, program }) => {
    for (const id of args.id) {
      if (!isUuidOfAnyCase(id)) throw new UsageError(`${JSON.stringify(id)} is not an id of the platform, a UUID.`);
    }
    const { client } = await cluster();
    const configMaps = orphanConfigMaps(client, flags["operator-namespace"]);
    for (const id of args.id) {
      const count = await forgetOrphans(configMaps, id);
      if (count === 0)
        throw new CliError(`${id} is not in the orphan ledger. List the ledger with: ${program} orphans`);
      io.stdout.write(`${id} forgotten\n`);
    }
  },
});

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
