/** The receiver registration of a fake connection: it registers the receiver as a remote called "hook". */
import { z } from "zod";

import type { Resource } from "../../../src/api/resource.ts";
import type { ReceiverRegistration } from "../../../src/engine/contract/kind.ts";
import type { Uuid } from "../../../src/engine/contract/kind.ts";
import type { Remote, WidgetApi } from "./fake-platform.ts";

export const hookMemory = { hook: z.string() };

interface Memory {
  readonly [name: string]: string | undefined;
  readonly hook?: string | undefined;
}

interface ConnectionOf<Spec, Mem extends Memory> {
  readonly spec: Spec;
  readonly memory: Mem;
  readonly api: WidgetApi;
}

interface Observed {
  readonly remote: Remote | undefined;
  readonly sent: boolean;
}

/** Finds its remote by the recorded id, registers it if there is none, and updates its note if the URL differs. */
export function hookErrand<Spec, Mem extends Memory>(
  resource: Resource<Spec, Mem>,
): ReceiverRegistration<ConnectionOf<Spec, Mem>> {
  const idOf = (pass: { readonly id: Uuid | undefined; readonly memory: Mem }): Uuid | undefined =>
    pass.memory.hook ?? pass.id;
  const receiverRegistration: ReceiverRegistration<ConnectionOf<Spec, Mem>>["kind"] = {
    resource,
    externalLifecycle: false,
    needs: () => {
      throw new TypeError("its inputs come from the engine");
    },
    observe: async (pass, api): Promise<Observed> => {
      const id = idOf(pass);
      return { remote: id === undefined ? undefined : await api.get(id), sent: false };
    },
    plan: (pass, observed: Observed) => {
      if (idOf(pass) === undefined || (pass.inputs.anew && !observed.sent)) {
        const why = { reason: "Creating" as const, message: `Registering at ${pass.inputs.url}.` };
        return {
          is: "step",
          step: { repeat: "once", op: "createHook", action: "create", creates: true, mark: null, name: "hook", why },
        };
      }
      if (observed.remote === undefined || observed.sent || observed.remote.note === pass.inputs.url)
        return { is: "settled" };
      return { is: "step", step: { repeat: "safe", op: "updateHook", action: "update" } };
    },
    act: async ({ action: what }, pass, observed: Observed, api) => {
      const { url } = pass.inputs;
      const old = observed.remote;
      const remote =
        what === "create" || old === undefined
          ? await api.create("hook", undefined, url)
          : await api.update(old.id, url);
      return { observed: { remote, sent: true }, memory: { ...pass.memory, hook: remote.id }, id: remote.id };
    },
    trace: () =>
      Promise.resolve({ is: "unknowable", why: { reason: "CreateResultUnknown", message: "Nobody can tell." } }),
    report: (pass) => ({
      ready: { reason: "Available", message: `Registered at ${pass.inputs.url}.` },
      conditions: [],
      status: { hook: idOf(pass) },
    }),
  };
  return { condition: "HookRegistered", kind: receiverRegistration };
}
