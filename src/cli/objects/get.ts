/** The command `get`: the custom resources, and with --remote how the platform differs from them. */
import { conditionView, factOf } from "../../console/tree/facts.ts";
import { ageOf } from "../../console/tree/labels.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { command, type Call } from "../base/command.ts";
import { CliError } from "../base/exit.ts";
import { ALL_NAMESPACES } from "../base/globals.ts";
import { print, type View } from "../base/render.ts";
import { fullName, kindNamed, shortTarget } from "../base/targets.ts";
import { READABLE, remoteOf, type RemoteField } from "./remote.ts";
import { listObjects } from "./shared/listing.ts";

export const getCommand = command({
  asks: "platform",
  args: [{ name: "kind", about: "a kind, e.g. papp; all of them when left out", optional: true }],
  flags: {
    remote: { is: "switch", about: "what the platform says, beside what the spec wants" },
    ...ALL_NAMESPACES,
  },
  formats: ["table", "wide", "json", "yaml", "name"],
  run: async (call) => {
    const { flags, tell } = call;
    const kind = call.args.kind === undefined ? undefined : kindNamed(call.args.kind);
    const cluster = await call.cluster();
    const namespace = flags["all-namespaces"] ? "" : cluster.namespace;
    const objects = await listObjects({ cluster, namespace, tell, kinds: kind === undefined ? undefined : [kind] });
    if (!flags.remote) {
      await print(call, localView(call.host.clock.now(), namespace === ""), objects);
      return;
    }
    if (kind !== undefined && !READABLE.includes(kind)) {
      throw new CliError(
        `The platform shows nothing that a ${kind} could be compared with. Try: ${READABLE.join(", ")}.`,
      );
    }
    const readable = objects.filter((object) => READABLE.includes(object.kind));
    await print(call, REMOTE, await remoteRows(call, readable));
  },
});

function localView(now: Date, everywhere: boolean): View<KubeObject> {
  return {
    columns: {
      ...(everywhere ? { NAMESPACE: ({ metadata }: KubeObject) => metadata.namespace } : {}),
      NAME: (object) => shortTarget(keyOf(object)),
      READY: (object) => conditionView(object, "Ready")?.status,
      STATE: (object) => factOf(object).state,
      REASON: (object) => conditionView(object, "Ready")?.reason,
      AGE: ({ metadata }) => ageOf(metadata.creationTimestamp, now),
    },
    wide: {
      "REMOTE-ID": (object) => factOf(object).externalId,
      MESSAGE: (object) => conditionView(object, "Ready")?.message,
    },
    name: (object) => fullName(keyOf(object)),
  };
}

type RemoteRow = RemoteField & { readonly object: KubeObject };

const REMOTE: View<RemoteRow> = {
  columns: {
    NAME: ({ object }) => shortTarget(keyOf(object)),
    FIELD: "path",
    WANTED: "wanted",
    PLATFORM: ({ found }) => found ?? "not shown",
    DIFFERS: ({ differs, found }) => (found === undefined ? "unknown" : differs ? "yes" : "no"),
  },
  wide: { NAMESPACE: ({ object }) => object.metadata.namespace },
  name: ({ object }) => fullName(keyOf(object)),
  data: (row) => ({
    kind: row.object.kind,
    namespace: row.object.metadata.namespace,
    name: row.object.metadata.name,
    field: row.path,
    wanted: row.wanted ?? null,
    platform: row.found ?? null,
    differs: row.differs,
  }),
};

async function remoteRows({ access, tell }: Call, objects: readonly KubeObject[]): Promise<readonly RemoteRow[]> {
  const rows: RemoteRow[] = [];
  for (const object of objects) {
    const id = factOf(object).externalId;
    const name = shortTarget(keyOf(object));
    if (id === "") {
      tell(`${name} is left out: it is not on the platform yet.`);
      continue;
    }
    const remote = await remoteOf(await access(object), object, id);
    if (typeof remote === "string") tell(`${name} is left out: ${remote}.`);
    else rows.push(...remote.map((field) => ({ ...field, object })));
  }
  return rows;
}
