import { z } from "zod";

import { idsOf, plain, type PlainRecords } from "../base/plain.ts";
import type { PlainRecord } from "../model/world.ts";
import { safe } from "../request/masks.ts";
import type { Route } from "../request/route.ts";
import { DateTime, Id, Name, Text } from "../request/schemas.ts";
import { crud } from "./crud.ts";

function routesOf(records: PlainRecords): readonly Route[] {
  const { noun, members } = records;
  const names = Object.keys(members);
  const shown = names.filter((member) => members[member] === "text");
  const texts = (of: readonly string[], text: z.ZodType) => Object.fromEntries(of.map((member) => [member, text]));
  const { list, ...operations } = idsOf(records);
  return crud({
    noun,
    list,
    operations,
    idName: "id",
    body: z.object({ name: Name }).extend(texts(names, Text)),
    keeps: safe("name", ...shown),
    answer: z
      .object({ id: Id, name: z.string(), created_at: DateTime, updated_at: DateTime })
      .extend(texts(shown, z.string().nullable())),
    records: ({ sim: { world } }) => {
      const records = world.plain.get(noun) ?? new Map<string, PlainRecord>();
      world.plain.set(noun, records);
      return records;
    },
    contentOf: ({ name: called, ...rest }) => ({ name: called, members: rest }),
    show: ({ id, name: called, createdAt, updatedAt, members: content }) => ({
      id,
      name: called,
      created_at: createdAt,
      updated_at: updatedAt,
      ...Object.fromEntries(shown.map((member) => [member, content[member] ?? null])),
    }),
  });
}

/** The routes of the plain records (base/plain.ts). */
export const plainRoutes = Object.values<PlainRecords>(plain).flatMap(routesOf);
