/** Ids and names that lead elsewhere when they are inserted into a path unescaped. */
import fc from "fast-check";

import { anyText } from "./values.ts";

const ID = "0f0e0d0c-0b0a-4908-8706-050403020100";

/** None of them is a UUID or a DNS-1123 name. */
export const HOSTILE_IDS: readonly string[] = [
  "",
  ".",
  "..",
  "...",
  "../..",
  "a/b",
  "/",
  "//evil.example",
  "a\\b",
  "..\\..",
  "%2e%2e",
  "%2E%2E%2F",
  "..%2f",
  "%252e%252e",
  "a?x=1",
  "a#b",
  "a;b=c",
  "a b",
  "a\u0000b",
  "a\nb",
  "a\r\nHost: evil.example",
  "\ud800",
  "\u2024\u2024",
  "．．／",
  "__proto__",
  `${ID}/..`,
  `${ID}/../${ID}`,
  `${ID}?deploy=true`,
  `${ID}#`,
  `${ID}\n`,
  ` ${ID}`,
  `${ID.slice(0, -1)}G`,
  "x".repeat(5_000),
];

/** Ids as people and attackers write them. */
export const anyId: fc.Arbitrary<string> = fc.oneof(
  fc.uuid(),
  fc.string(),
  anyText(),
  fc.constantFrom(...HOSTILE_IDS),
  fc
    .array(fc.constantFrom(".", "..", "/", "\\", "%2e", "%2f", "%00", "@", ":", ID, "a"), { maxLength: 6 })
    .map((parts) => parts.join("")),
);
