/** The schema of the chart's values beside the operator: what is refused must not be found out by a crash loop. */
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { loadConfig } from "../../src/config/config.ts";
import { textOf } from "./repository.ts";

const schema: unknown = JSON.parse(textOf("helm-chart/values.schema.json"));

const Patterned = z.looseObject({ type: z.literal("string"), pattern: z.string() });
const Properties = z.looseObject({ properties: z.record(z.string(), z.unknown()) });
const List = z.looseObject({ type: z.literal("array"), items: z.unknown() });

/** The values whose text the operator reads, and how the chart passes it. */
const TOLD = {
  "operator.allowedPlatformHosts": {
    flag: "allowed-platform-hosts",
    good: [
      ["example.com", "API.example.com", "api.example.com:8443", "*.example.com", "localhost", "a", "1.example.com"],
      ["10.0.0.0/8", "0.0.0.0/0", "255.255.255.255/32", "192.0.2.1", "192.0.2.1:8443"],
      ["::", "::1", "::/0", "fd00::/8", "2001:db8::1/128", "2001:DB8:0:0:1:2:3:4", "1:2:3:4:5:6:7::/112"],
    ].flat(),
    bad: [
      ["https://example.com", "example.com/", "example.com/v1", "user@example.com", "my_platform", "exämple.com"],
      ["*", "*example.com", "a.*.com", "*.*.com", "-a", "a-", ".a", "a.", "example.com:", "example.com:123456", "a b"],
      ["10.0.0.0/33", "10.0.0.0/", "10.0.0.256/8", "10.0.0/8", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/a"],
      [":", ":::", "::1::", "fd00::/129", "fd00::/", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "[::1]"],
    ].flat(),
  },
  "operator.logLevel": {
    flag: "log-level",
    good: ["info", "trace", "kube=warn", "info,platform=debug", "changes=error,debug,kube=info", "app=info,app=warn"],
    bad: [
      ["loud", "Info", "info,debug", "info,info", "kube=loud", "kubernetes=debug"],
      ["info,", ",info", "kube=", "=info"],
    ].flat(),
  },
  watchNamespaces: {
    flag: "watch-namespaces",
    good: ["shop", "a", "1", "a-b", "a".repeat(63)],
    bad: ["Shop", "-a", "a-", "a.b", "a_b", "../x", "a".repeat(64)],
  },
} as const satisfies Record<string, { flag: string; good: readonly string[]; bad: readonly string[] }>;

const values = Object.entries(TOLD).map(([path, { flag, good, bad }]) => ({ path, flag, good, bad }));

describe.each(values)("a text in the chart's value $path", ({ path, flag, good, bad }) => {
  const pattern = RE2JS.compile(patternAt(path));
  const schemaTakes = (text: string): boolean => pattern.matcher(text).find();
  const operatorTakes = (text: string): boolean => {
    try {
      loadConfig([`--${flag}=${text}`], { env: {}, hostname: () => "host", readFile: () => undefined });
      return true;
    } catch {
      return false;
    }
  };
  const both = (text: string) => [text, { schema: schemaTakes(text), operator: operatorTakes(text) }];

  it("that is valid is accepted by the schema and by the operator", () => {
    expect(good.map(both)).toEqual(good.map((text) => [text, { schema: true, operator: true }]));
  });

  it("that is invalid is refused by the schema and by the operator", () => {
    expect(bad.map(both)).toEqual(bad.map((text) => [text, { schema: false, operator: false }]));
  });

  it("of any characters is never accepted by the schema and refused by the operator", () => {
    const pieces = [...new Set([...good, ...bad].flatMap((text) => text.split(/(?<=[^a-z0-9])|(?=[^a-z0-9])/i)))];
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => some.join(""));
    fc.assert(
      fc.property(texts, (text) => !schemaTakes(text) || operatorTakes(text)),
      { numRuns: 3000 },
    );
  });
});

function patternAt(path: string): string {
  const node = path.split(".").reduce((at, name) => Properties.parse(at).properties[name], schema);
  const list = List.safeParse(node);
  return Patterned.parse(list.success ? list.data.items : node).pattern;
}
