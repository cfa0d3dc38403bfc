/** The command `get`: the custom resources, and with --remote how the platform differs from them. */
import { ageOf } from "../../console/tree/duration.ts";
import { conditionOf, factOf } from "../../console/tree/facts.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { command, type Call } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { ALL_NAMESPACES } from "../base/globals.ts";
import { printList, type View } from "../base/render.ts";
import { READABLE, remoteOf, type RemoteField } from "./remote.ts";
import { listObjects } from "./shared/listing.ts";
import { fullName, resourceOf, shortTarget } from "./shared/target.ts";

export const get = command({
  asks: "platform",
  args: [{ name: "kind", about: "a kind, e.g. papp; all of them when left out", optional: true }],
  flags: {
    remote: { is: "switch", about: "what the platform says, beside what the spec wants" },
    ...ALL_NAMESPACES,
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  run: async (call) => {
    const { cluster: open, args, flags, tell, host } = call;
    const kinds = args.kind === undefined ? undefined : [resourceOf(args.kind).kind];
    const cluster = await open();
    const namespace = flags["all-namespaces"] ? "" : cluster.namespace;
    const objects = await listObjects({ cluster, namespace, tell, ...(kinds === undefined ? {} : { kinds }) });
    if (!flags.remote) {
      await printList(call, localView(host.clock.now(), namespace === ""), objects);
      return;
    }
    const [kind] = kinds ?? [];
    if (kind !== undefined && !READABLE.includes(kind)) {
      throw new CliError(
        `The platform shows nothing that a ${kind} could be compared with. Try: ${READABLE.join(", ")}.`,
      );
    }
    await printList(
      call,
      REMOTE,
      await remoteRows(
        call,
        objects.filter((object) => READABLE.includes(object.kind)),
      ),
    );
  },
});

const target = ({ kind, metadata }: KubeObject): { readonly kind: string; readonly name: string } => ({
  kind,
  name: metadata.name,
});

function localView(now: Date, everywhere: boolean): View<KubeObject> {
  return {
    columns: {
      ...(everywhere ? { NAMESPACE: ({ metadata }: KubeObject) => metadata.namespace } : {}),
      NAME: (object) => shortTarget(target(object)),
      READY: (object) => conditionOf(object, "Ready")?.status,
      STATE: (object) => factOf(object).state,
      REASON: (object) => conditionOf(object, "Ready")?.reason,
      AGE: ({ metadata }) => ageOf(metadata.creationTimestamp, now),
    },
    wide: {
      "REMOTE-ID": (object) => factOf(object).externalId,
      MESSAGE: (object) => conditionOf(object, "Ready")?.message,
    },
    name: (object) => fullName(target(object)),
  };
}

interface RemoteRow extends RemoteField {
  readonly object: KubeObject;
}

const REMOTE: View<RemoteRow> = {
  columns: {
    NAME: ({ object }) => shortTarget(target(object)),
    FIELD: "path",
    WANTED: "wanted",
    PLATFORM: "found",
    DIFFERS: (row) => (differs(row) ? "yes" : ""),
  },
  wide: { NAMESPACE: ({ object }) => object.metadata.namespace },
  name: ({ object }) => fullName(target(object)),
  data: (row) => ({
    kind: row.object.kind,
    namespace: row.object.metadata.namespace,
    name: row.object.metadata.name,
    field: row.path,
    wanted: row.wanted ?? null,
    platform: row.found ?? null,
    differs: differs(row),
  }),
};

/** Reports whether both sides have a value, and not the same. */
function differs({ wanted, found }: RemoteField): boolean {
  return wanted !== undefined && found !== undefined && wanted !== found;
}

async function remoteRows(
  { access, tell }: Pick<Call, "access" | "tell">,
  objects: readonly KubeObject[],
): Promise<readonly RemoteRow[]> {
  const rows: RemoteRow[] = [];
  for (const object of objects) {
    const id = factOf(object).externalId;
    const name = shortTarget(target(object));
    if (id === "") {
      tell(`${name} is left out: it is not on the platform yet.`);
      continue;
    }
    const remote = await remoteOf(await access(object), object, id);
    if (remote.is === "unseen") tell(`${name} is left out: ${remote.why}.`);
    else rows.push(...remote.fields.map((field) => ({ ...field, object })));
  }
  return rows;
}
