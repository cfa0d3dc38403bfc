/** The command `resolve`: a user's decision where the operator must not decide itself (docs/architecture.md §7). */
import { INTENT, RESOLVE } from "../../api/names.ts";
import { conditionOf } from "../../console/tree/facts.ts";
import { clusterPlatformConnection, platformConnection } from "../../kinds/connection/crd.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { isUuidOfAnyCase } from "../../platform/codec/paths.ts";
import { command } from "../base/command.ts";
import { CliError, UsageError } from "../base/exit.ts";
import { edit } from "./shared/edit.ts";
import { fullName, TARGET, targetOf } from "./shared/target.ts";

const CONNECTIONS: ReadonlySet<string> = new Set([platformConnection.kind, clusterPlatformConnection.kind]);

export const resolve = command({
  asks: "cluster",
  args: [TARGET],
  flags: {
    id: {
      is: "text",
      value: "UUID",
      about: "CreateResultUnknown, DuplicateRemote: this is the object on the platform",
    },
    recreate: { is: "switch", about: "CreateResultUnknown: nothing was created; create it" },
    adopt: { is: "switch", about: "ForeignLedger: the other installation has stopped; this one takes over" },
    proceed: { is: "switch", about: "MassChangeHeld, on a connection: the changes are meant" },
  },
  details: "Exactly one of the four. Look at the platform first: what you say here is believed.",
  run: async ({ cluster: open, args, flags, io }) => {
    const target = targetOf(args.object);
    const word = wordOf(flags);
    const cluster = await open();
    const object = await cluster.get(target.kind, target.name);
    refuse(object, word, args.object);
    await edit(cluster, object, changeOf(object, word));
    io.stdout.write(`${fullName(target)} resolved: ${word.is === "id" ? `it is ${word.id}` : word.is}\n`);
  },
});

type Word = { readonly is: "id"; readonly id: string } | { readonly is: "recreate" | "adopt" | "proceed" };

interface Words {
  readonly id: string | undefined;
  readonly recreate: boolean;
  readonly adopt: boolean;
  readonly proceed: boolean;
}

function wordOf({ id, recreate, adopt, proceed }: Words): Word {
  const words: readonly Word[] = [
    ...(id === undefined ? [] : [{ is: "id", id } as const]),
    ...(recreate ? [{ is: "recreate" } as const] : []),
    ...(adopt ? [{ is: "adopt" } as const] : []),
    ...(proceed ? [{ is: "proceed" } as const] : []),
  ];
  const [word, ...others] = words;
  if (word === undefined || others.length > 0) {
    throw new UsageError("Say exactly one of --id UUID, --recreate, --adopt and --proceed.");
  }
  if (word.is === "id" && !isUuidOfAnyCase(word.id))
    throw new UsageError("--id takes an id of the platform, a lower-case UUID.");
  return word;
}

/** Refuses a resolution that would have no effect, or another one than intended. @throws CliError */
function refuse(object: KubeObject, word: Word, shown: string): void {
  const isConnection = CONNECTIONS.has(object.kind);
  const reason = reasonOf(object);
  switch (word.is) {
    case "id":
      refuseId(object, word.id, shown, isConnection);
      break;
    case "recreate":
      // On a connection it registers the receiver again, also after a registration that succeeded.
      if (isConnection || object.metadata.annotations?.[INTENT] !== undefined) break;
      throw new CliError(
        `${shown} has no create whose outcome is unknown (it says ${reason}): there is nothing to resolve.`,
      );
    case "adopt":
      // On a connection it applies to all of its objects.
      if (isConnection || reason === "ForeignLedger") break;
      throw new CliError(`${shown} does not say ForeignLedger but ${reason}: there is nothing to adopt.`);
    case "proceed":
      if (isConnection && reason === "MassChangeHeld") break;
      throw new CliError(
        `${shown} does not say MassChangeHeld but ${reason}. --proceed is for a connection that does.`,
      );
    default:
      word satisfies never;
  }
}

/** Returns why it is stalled, or its state. */
function reasonOf(object: KubeObject): string {
  return conditionOf(object, "Stalled")?.reason ?? conditionOf(object, "Ready")?.reason ?? "nothing";
}

function refuseId(object: KubeObject, id: string, shown: string, isConnection: boolean): void {
  if (isConnection) throw new CliError(`${shown} is a connection: it represents no object of the platform.`);
  const recorded = stringMember(object.status, "externalId");
  if (recorded !== undefined && recorded !== id) {
    throw new CliError(
      `${shown} is ${recorded} on the platform already. To take over another object, make another resource.`,
    );
  }
}

function changeOf(object: KubeObject, word: Word): JsonObject {
  if (word.is !== "id") return { metadata: { annotations: { [RESOLVE]: word.is } } };
  const given = stringMember(object.spec, "externalId");
  return given === word.id ? {} : { spec: { externalId: word.id } };
}
