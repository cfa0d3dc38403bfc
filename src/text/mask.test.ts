import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { maskOf, withoutValues } from "./mask.ts";

const VALUE = "pa55 & <w0rd>+'\"/ä😀=!";
const PEM = "-----BEGIN KEY-----\nZm9v/QmFk+xQrsTUvwX\nYmFyYmF6\n-----END KEY-----\n";
const hide = (text: string, values: readonly string[] = [VALUE], isCut?: boolean): string =>
  withoutValues(text, [maskOf(values)], "•", isCut);
const inHtml = (text: string): string => text.replaceAll(/["&'<>]/g, (one) => `&#${String(one.charCodeAt(0))};`);
const inAscii = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^ -%'-;=?-~]/g, (one) => String.raw`\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** How programs spell a text within another. */
const SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ["plain", (text) => text],
  ["JSON", (text) => JSON.stringify(text).slice(1, -1)],
  ["JSON of ASCII without characters of HTML", inAscii],
  ["a URL", (text) => encodeURIComponent(text)],
  ["a URL in lower case", (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase())],
  ["a form", (text) => new URLSearchParams([["", text]]).toString().slice(1)],
  ["HTML", inHtml],
  ["base64", (text) => Buffer.from(text).toString("base64").replace(/=+$/, "")],
  ["base64url", (text) => Buffer.from(text).toString("base64url")],
];

describe("[E6] a secret value in a text", () => {
  it.each(SPELLINGS)("is masked in the spelling of %s", (_name, spell) => {
    expect(hide(`before ${spell(VALUE)} after`)).toBe("before • after");
  });

  it("is masked in any spelling of any spelling except base64", () => {
    const spelling = fc.constantFrom(...SPELLINGS.slice(0, 7).map(([, spell]) => spell));
    const value = fc
      .string({ unit: "grapheme", minLength: 12, maxLength: 40 })
      .filter((text) => /[a-z]{3}/i.test(text));
    fc.assert(
      fc.property(value, spelling, spelling, (secret, inner, outer) => {
        fc.pre(hide(secret, [secret]) !== secret);
        expect(hide(`"${outer(inner(secret))}"`, [secret])).toContain("•");
      }),
    );
  });

  it("is masked in a text of ASCII without escapes, with blanks anywhere in it", () => {
    const ascii = (minLength: number) =>
      fc.string({ unit: "grapheme-ascii", minLength, maxLength: 30 }).map((text) => text.replaceAll(/[%&\\]/g, "_"));
    fc.assert(
      fc.property(ascii(6), ascii(0), fc.nat(), (secret, around, at) => {
        fc.pre(hide(secret, [secret]) === "•");
        const place = at % secret.length;
        const shown = hide(`${around} ${secret.slice(0, place)} + ${secret.slice(place)} ${around}`, [secret]);
        expect(shown).toContain("•");
      }),
    );
  });

  it.each(["", "u:", "user:", "a-user:"])("is masked in base64 after %j", (before) => {
    const shown = hide(Buffer.from(`${before}hunter2-hunter2:more`).toString("base64"), ["hunter2-hunter2"]);
    expect(Buffer.from(shown.replace("•", ""), "base64").toString()).not.toContain("unter");
  });

  it.each([
    ["with spaces for its line breaks", PEM.replaceAll("\n", " ").trim(), "•"],
    ["line by line", "the line Zm9v/QmFk+xQrsTUvwX or YmFyYmF6 is wrong", "the line • or • is wrong"],
    ["cut in a line", `${PEM.slice(0, 30).replace("\n", " ")}…`, "•…"],
    ["cut in an escape", `a ${encodeURIComponent(PEM).slice(0, 37)}…`, "a •…"],
  ])("that has several lines is masked %s", (_name, text, shown) => {
    expect(hide(text, [PEM])).toBe(shown);
  });

  it("that another value begins with does not keep the longer value from being masked", () => {
    expect(hide("secret secret-more secret-other secret-more-yet", ["secret", "secret-more", "secret-more-yet"])).toBe(
      "• • •-other •",
    );
  });

  it.each(["short", "  a b c \n", "+ + + + + + +", "\\\\\\\\\\\\"])(
    "with too few characters is not masked: %j",
    (value) => {
      expect(hide(`a ${value} b`, [value])).toBe(`a ${value} b`);
    },
  );

  it("is masked at the end of a text only where the text was cut within it", () => {
    expect(hide("begins with hunter2-hun", ["hunter2-hunter2"], true)).toBe("begins with •");
    expect(hide("begins with hunter2-hun", ["hunter2-hunter2"])).toBe("begins with hunter2-hun");
  });

  it("is all that changes in a text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(hide(text, ["a-value-of-no-text"])).toBe(text);
      }),
    );
  });
});
