import { isKube, KubeError } from "../api/errors.ts";
import { member, stringEntries, stringMember } from "../api/json.ts";
import { CONFIG_MAP, objectPath } from "../api/paths.ts";
import { type KubeClient, mergePatch, readOptional } from "../api/transport.ts";
import type { Json, ConfigMapEntries } from "../api/types.ts";
import { createOnce } from "./outputs.ts";

export interface ConfigMapsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The names are `<prefix>-0`, `<prefix>-1` and so on, so that RBAC can name them. */
  readonly prefix: string;
  readonly count: number;
  /** Labels by which people find all of them. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Entries by key, kept in ConfigMaps of the operator's namespace that are numbered from 0. */
export type ConfigMaps = ReturnType<typeof createConfigMaps>;

/** @returns the reader and writer of the ConfigMaps; it reads nothing yet */
export function createConfigMaps({ client, namespace, prefix, count, labels }: ConfigMapsOptions) {
  const nameOf = (index: number): string => `${prefix}-${String(index)}`;
  const pathOf = (index: number): string => objectPath(CONFIG_MAP, { namespace, name: nameOf(index) });

  return {
    /** The number of ConfigMaps, including those that do not exist yet. */
    count,
    /** Reads the ConfigMap of an index from the API server. @throws KubeError */
    read: async (index: number): Promise<ConfigMapEntries> => {
      const answer = await readOptional(client, pathOf(index));
      return answer === undefined ? ABSENT : decode(answer);
    },
    /**
     * Changes entries of a ConfigMap that was read before, or creates it if it does not exist.
     * @param changes the new value by key; null removes an entry
     * @param dryRun if given, the API server checks a change of a ConfigMap that exists, and stores nothing
     * @returns the entries as they are now
     * @throws KubeError "Conflict" when it has another version
     */
    write: async (
      index: number,
      { resourceVersion }: ConfigMapEntries,
      changes: ReadonlyMap<string, string | null>,
      dryRun?: "server",
    ): Promise<ConfigMapEntries> => {
      const data = Object.fromEntries(changes);
      if (resourceVersion === undefined) {
        const metadata = { name: nameOf(index), namespace, labels };
        return decode(await createOnce(client, CONFIG_MAP, metadata, Object.fromEntries(stringEntries(data))));
      }
      try {
        const body = { metadata: { resourceVersion }, data };
        const query = dryRun === undefined ? {} : { dryRun: "All" };
        return decode(await client.request(mergePatch(pathOf(index), body, { query })));
      } catch (error) {
        // Another client removed it: it is read again, and then created.
        if (isKube(error, "NotFound")) throw new KubeError("Conflict", 409, `${nameOf(index)} is gone`);
        throw error;
      }
    },
  };
}

const ABSENT: ConfigMapEntries = { resourceVersion: undefined, data: new Map() };

function decode(answer: Json): ConfigMapEntries {
  const resourceVersion = stringMember(member(answer, "metadata"), "resourceVersion");
  if (resourceVersion === undefined) throw new KubeError("BadResponse", 200, "the answer is no ConfigMap");
  return { resourceVersion, data: new Map(stringEntries(member(answer, "data"))) };
}
