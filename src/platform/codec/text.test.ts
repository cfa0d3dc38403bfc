import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cleaned, errorText, fieldComplaints } from "./text.ts";

const KEY = "-----BEGIN KEY-----\nZm9v/QmFk+x==\n-----END KEY-----\n";

describe("errorText, the message of an error answer,", () => {
  it.each([
    [{ status: 403, error: "Forbidden", message: "no role" }, "no role"],
    [{ status: 409, error: "Conflict", detail: "name already taken", message: "other" }, "name already taken"],
    [{ error: "Unauthorized" }, "Unauthorized"],
    [{ detail: { code: 1 }, message: "from message" }, "from message"],
    [{ detail: "", message: "   ", error: "from error" }, "from error"],
    [{}, "{}"],
    [{ message: "bad", errors: [{ field: "a", message: "x" }, { property: "c" }] }, "bad: a: x; c"],
    [{ errors: [{ field: "b", reason: "y" }] }, "b: y"],
    [{ detail: [{ loc: ["body", "spec_overrides", "cpu"], msg: "no" }] }, "body.spec_overrides.cpu: no"],
    [{ error: "Unprocessable", errors: ["a is wrong", "b is wrong"] }, "Unprocessable: a is wrong; b is wrong"],
    [{ violations: [{ fieldPath: "a.b", code: "NOT_ALLOWED" }, { property: "c" }] }, "a.b: NOT_ALLOWED; c"],
    [{ errors: { backend: ["no", "never"], cpu: "no" }, message: "bad" }, "bad: backend: no, never; cpu: no"],
    [{ errors: [null, 1, {}, { field: 1 }], message: "bad" }, "bad"],
    [{ errors: [], details: { a: "x" } }, "a: x"],
    ["just a string", "just a string"],
  ])("reads it from %j", (body, expected) => {
    expect(errorText(JSON.stringify(body), [])).toBe(expected);
  });

  it.each([
    ["plain text", "plain text"],
    ["", "the answer has no text"],
    ["  \n ", "the answer has no text"],
    ["<!doctype html><h1>Bad gateway</h1>", "the answer is an HTML page"],
    [`{"message": "cut o`, `{"message": "cut o`],
  ])("takes the text %j as it is, or says what the answer is", (body, expected) => {
    expect(errorText(body, [])).toBe(expected);
  });

  it("[E3] reads only own members", () => {
    expect(errorText(`{"__proto__": {"message": "polluted"}}`, [])).not.toBe("polluted");
    expect(Object.hasOwn(Object.prototype, "message")).toBe(false);
  });
});

describe("cleaned, the text of the platform for a message,", () => {
  it("[E5] has no invisible characters, and none that change the direction of a line", () => {
    expect(cleaned("a\u0000b\r\nc\u202Ed\u200Be\u2028f\u001B[31mg", [])).toBe("a b c d e f [31mg");
  });

  it("[E5] is one line of at most 300 well-formed characters for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 700 }), (raw) => {
        const text = cleaned(raw, []);
        expect(text.length).toBeLessThanOrEqual(300);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it("[E6] never contains the token, wherever and however often the text does", () => {
    const token = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCodePoint(code)),
      minLength: 1,
    });
    fc.assert(
      fc.property(token, fc.array(fc.string({ unit: "binary" })), (secret, parts) => {
        expect(cleaned(parts.join(secret), [secret])).not.toContain(secret);
        expect(cleaned(secret.split("").join("\u200B") + secret, [secret])).not.toContain(secret);
      }),
    );
  });

  it.each([
    ["in JSON within JSON", JSON.stringify({ value: KEY })],
    ["percent-encoded", encodeURIComponent(KEY)],
    ["in base64", Buffer.from(KEY).toString("base64")],
    ["without the newline at its end", KEY.trim()],
  ])("[E7] has no secret that the text quotes %s", (_name, quoted) => {
    const text = errorText(JSON.stringify({ detail: `invalid value ${quoted} of key` }), [KEY]);
    expect(text).toMatch(/^invalid value .*•••.* of key$/);
    expect(text).not.toMatch(/QmFk|Zm9v|BEGIN/);
  });

  it("[E5] is read from the beginning of an answer of megabytes", () => {
    const secrets = Array.from({ length: 256 }, (_, index) => `s3cret-value-${index}`);
    expect(errorText("s3cret-value-7 ".repeat(280_000), secrets)).toMatch(/^••• .*…$/);
  });

  it.each(["errors", "violations", "detail"])("[E5] has at most the first twenty complaints of the list %s", (list) => {
    let looks = 0;
    const complaint = {
      get message() {
        looks += 1;
        return "no";
      },
    };
    expect(fieldComplaints({ [list]: Array.from({ length: 1_000 }, () => complaint) })).toHaveLength(20);
    expect(looks).toBe(20);
  });

  it("[E6] has no secret of several lines, and masks the longer of two secrets", () => {
    expect(cleaned("key -----BEGIN\nabc\n-----END, pass abcdef", ["-----BEGIN\nabc\n-----END", "abc", "abcdef"])).toBe(
      "key •••, pass •••",
    );
  });

  it("is not cut within a surrogate pair", () => {
    expect(cleaned("😀".repeat(200), [])).toBe(`${"😀".repeat(149)}…`);
  });
});
