/** Reads manifests through kubectl, so that a plan reads what an apply reads. */
import { isObject, member, parseJson, stringMember } from "../../../kube/api/json.ts";
import type { JsonObject } from "../../../kube/api/types.ts";
import { CliError } from "../../base/exit.ts";
import type { Host } from "../../base/io.ts";

/** An object as kubectl reads it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** undefined for a cluster-scoped object. */
  readonly namespace: string | undefined;
  /** The whole object. */
  readonly body: JsonObject;
}

/**
 * @param args kubectl's flags that name the manifests
 * @returns the objects in their order; kubectl has set the namespace of those that name none
 * @throws CliError for an object without a name; with an empty message where kubectl has said what is wrong
 */
export async function readManifests(
  { manifests }: Pick<Host, "manifests">,
  args: readonly string[],
): Promise<readonly Manifest[]> {
  return (await manifests(args)).map((text) => {
    const body = parseJson(text);
    const metadata = member(body, "metadata");
    const [apiVersion, kind, name] = [
      stringMember(body, "apiVersion"),
      stringMember(body, "kind"),
      stringMember(metadata, "name"),
    ];
    if (!isObject(body) || apiVersion === undefined || kind === undefined || name === undefined) {
      throw new CliError(`A ${kind ?? "manifest"} has no metadata.name. kubectl apply needs one.`);
    }
    return { apiVersion, kind, name, namespace: stringMember(metadata, "namespace"), body };
  });
}
