/**
 * The house as data (CONTRIBUTING.md draws it). An entry is a folder under src/, a module under src/ without its
 * ending, or a package; "node:" stands for all of Node's modules. What is not listed may not be imported.
 */
export interface Layer {
  readonly mayImport: readonly string[];
  /** Single files that may import more. */
  readonly except?: Readonly<Record<string, readonly string[]>>;
  readonly maxLines?: number;
}

const kubernetes = "@kubernetes/client-node";

const OPEN_TELEMETRY = [
  "@opentelemetry/api",
  "@opentelemetry/exporter-trace-otlp-http",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace",
];

export const layers: Readonly<Record<string, Layer>> = {
  resources: { mayImport: ["zod"] },
  platform: {
    mayImport: ["zod", "node:"],
    except: { "platform/http": ["undici"] },
  },
  kube: {
    mayImport: ["node:"],
    except: { "kube/client": [kubernetes, "undici"] },
  },
  engine: { mayImport: ["resources/base", "platform/errors", "kube", "zod", "croner", "node:crypto", "node:util"] },
  kinds: { mayImport: ["resources", "platform", "engine/kind", "zod"], maxLines: 200 },
  app: {
    mayImport: ["resources", "platform", "kube", "engine", "kinds", "zod", "pino", "prom-client", "node:"],
    except: {
      "app/traces/otlp": OPEN_TELEMETRY,
      "app/traces/bounded": ["@opentelemetry/sdk-trace"],
      "app/version": ["package.json"],
    },
  },
  cli: {
    mayImport: ["app", "resources", "platform", "kube", "zod", "yaml", "node:"],
    except: { "cli/simulate": ["simulator"] },
  },
  simulator: {
    mayImport: ["zod", "fastify", "fastify-type-provider-zod", "@fastify/swagger", "node:"],
  },
  main: { mayImport: ["cli", "node:"] },
};

/** What a test beside its source may import besides: its layer's own things and the tools for tests. */
export const forTests: readonly string[] = ["vitest", "fast-check", "yaml", "re2js", "node:", "test/support"];

/** Packages with one home each: no other file of src/ may import them, whatever its layer allows. */
export const homes: Readonly<Record<string, readonly string[]>> = {
  croner: ["engine/change-window"],
  undici: ["platform/http", "kube/client"],
  [kubernetes]: ["kube/client"],
  "@opentelemetry/api": ["app/traces/otlp"],
};

export const maxLines = 300;
export const maxTestLines = 500;
