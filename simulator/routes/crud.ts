import { z } from "zod";

import type { OperationId } from "../base/operations.ts";
import { bornNow } from "../model/creation.ts";
import type { Fields, Owned } from "../model/world.ts";
import { checkNameFree, checkOrganization, findOfOrganization, listed } from "../request/lookups.ts";
import type { Masks } from "../request/masks.ts";
import { type Call, route, type Route } from "../request/route.ts";
import { Id, listOf, Nothing } from "../request/schemas.ts";

/** Records of an organization that are created, changed and deleted as a whole. */
interface Crud<Content extends object, Body> {
  /** E.g. "webhook". */
  readonly noun: string;
  /** Absent if there is no list. */
  readonly list?: OperationId;
  readonly operations: Readonly<Record<"create" | "get" | "update" | "delete", OperationId>>;
  /** The path parameter with the id, e.g. "webhookId". */
  readonly idName: string;
  readonly body: z.ZodType<Body>;
  readonly keeps: Masks;
  readonly answer: z.ZodType;
  records(call: Call): Map<string, Owned & Content>;
  contentOf(body: Body): Content;
  show(record: Owned & Content): Fields;
  /** Called after a creation, for further effects. */
  created?(call: Call): void;
}

const OrganizationPath = z.object({ organizationId: Id });

/** @returns the routes of such records. Names, if they have any, are unique in the organization. */
export function crud<Content extends object, Body>(of: Crud<Content, Body>): readonly Route[] {
  const { noun, operations, idName, body: bodySchema, answer, keeps } = of;
  const path = z.object({ organizationId: Id, [idName]: Id });
  const find = (call: Call, params: z.output<typeof path>) =>
    findOfOrganization(call, of.records(call), noun, params["organizationId"] ?? "", params[idName] ?? "");
  const siblings = (call: Call, organizationId: string) =>
    [...of.records(call).values()].filter((record) => record.organizationId === organizationId);
  const checkName = (call: Call, content: object, organizationId: string, self?: string) => {
    if (!("name" in content)) return;
    const named = siblings(call, organizationId).map(({ id, ...record }) => ({ id, name: nameOf(record) }));
    checkNameFree(call, noun, nameOf(content), named, self);
  };
  const all = route({
    operation: of.list ?? operations.get,
    input: { params: OrganizationPath },
    answer: listOf(answer),
    handle({ params }, call) {
      checkOrganization(call, params.organizationId);
      return { body: { results: listed(call, siblings(call, params.organizationId)).map((one) => of.show(one)) } };
    },
  });
  const one = [
    route({
      operation: operations.create,
      keeps,
      input: { params: OrganizationPath, body: bodySchema },
      answer,
      handle({ params: { organizationId }, body }, call) {
        checkOrganization(call, organizationId);
        const content = of.contentOf(body);
        checkName(call, content, organizationId);
        const record = { ...content, ...bornNow(call.sim), id: call.sim.ids.uuid(), organizationId };
        of.records(call).set(record.id, record);
        of.created?.(call);
        call.effect({ created: record.id });
        return { body: of.show(record) };
      },
    }),
    route({
      operation: operations.get,
      input: { params: path },
      answer,
      handle: ({ params }, call) => ({ body: of.show(find(call, params)) }),
    }),
    route({
      operation: operations.update,
      keeps,
      input: { params: path, body: bodySchema },
      answer,
      handle({ params, body }, call) {
        const record = find(call, params);
        const content = of.contentOf(body);
        checkName(call, content, record.organizationId, record.id);
        Object.assign(record, content, { updatedAt: bornNow(call.sim).updatedAt });
        call.effect({ updated: record.id });
        return { body: of.show(record) };
      },
    }),
    route({
      operation: operations.delete,
      input: { params: path },
      answer: Nothing,
      handle({ params }, call) {
        const { id, organizationId } = find(call, params);
        of.records(call).delete(id);
        call.sim.world.graves.set(id, organizationId);
        call.effect({ deleted: id });
        return {};
      },
    }),
  ];
  return of.list === undefined ? one : [all, ...one];
}

function nameOf(record: object): string {
  return "name" in record && typeof record.name === "string" ? record.name : "";
}
