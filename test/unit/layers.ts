/**
 * The layers as data (docs/project/architecture.md draws them). An entry is a folder under src/, a module under src/ without
 * its ending, `simulator`, or a package; "node:" stands for all of Node's modules. What is not listed may not be
 * imported.
 */
export interface Layer {
  readonly mayImport: readonly string[];
  readonly except?: Readonly<Record<string, readonly string[]>>;
}

const BELOW = ["api", "platform", "kube", "engine"];

export const layers: Readonly<Record<string, Layer>> = {
  text: { mayImport: [] },
  api: { mayImport: ["zod"] },
  platform: {
    mayImport: ["text", "zod", "node:"],
    except: { "platform/transport/http": ["undici"], "platform/transport/connect": ["undici"] },
  },
  kube: {
    mayImport: ["text", "node:"],
    except: {
      "kube/api/client": ["undici"],
      "kube/api/credentials": ["@kubernetes/client-node", "undici"],
      "kube/api/watch-connections": ["undici"],
      "kube/watch/readers": ["lru-cache"],
      "kube/write/events": ["lru-cache"],
    },
  },
  engine: {
    mayImport: [
      "text",
      "api",
      "platform/codec/operations",
      "platform/transport/errors",
      "kube",
      "zod",
      "node:crypto",
      "node:util",
    ],
    except: { "engine/policies/run-schedule": ["croner"] },
  },
  kinds: {
    mayImport: ["text", "api", "platform", "engine/contract/kind", "engine/contract/connection", "zod"],
  },
  http: { mayImport: ["node:"] },
  config: {
    mayImport: [...BELOW, "kinds/index", "http", "zod", "node:"],
    except: { "config/names": ["package.json"] },
  },
  observability: {
    mayImport: ["text", ...BELOW, "kinds/index", "config", "zod", "pino", "prom-client", "node:"],
  },
  webhooks: {
    mayImport: [
      "kube",
      "engine/connections/connections",
      "engine/contract",
      "engine/ownership/installation-key",
      "http",
      "zod",
      "lru-cache",
      "node:",
    ],
  },
  console: { mayImport: ["text", "api", "kube", "engine", "kinds/index", "config", "http", "zod", "node:"] },
  operator: {
    mayImport: [
      ...BELOW,
      "kinds",
      "config",
      "http",
      "observability",
      "console",
      "webhooks",
      "zod",
      "prom-client",
      "node:",
    ],
  },
  cli: {
    mayImport: ["text", "api", "config", "operator", "console", "kinds", "platform", "kube", "zod", "yaml", "node:"],
    except: {
      "cli/commands": ["@commander-js/extra-typings"],
      "cli/index": ["@commander-js/extra-typings"],
      "cli/complete": ["@commander-js/extra-typings", "@bomb.sh/tab"],
      "cli/api": ["json-p3"],
    },
  },
  main: { mayImport: ["cli", "node-version", "node:"] },
  plugin: { mayImport: ["cli", "node-version", "node:"] },
  "node-version": { mayImport: [] },
  simulator: { mayImport: ["zod", "fastify", "fastify-type-provider-zod", "@fastify/swagger", "node:"] },
};

/** What a test beside its source may import besides: its layer's own things and the tools for tests. */
export const forTests: readonly string[] = ["vitest", "fast-check", "yaml", "re2js", "node:", "test/support"];

/** Exported names that several files of src/ define, and why they may. */
export const sharedNames: Readonly<Record<string, string>> = {
  Clock: "kube and platform each declare the one interface, as neither may import the other",
};
