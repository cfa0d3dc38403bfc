/**
 * Patterns of the catalogue (spec, FieldSchemaConstraintsResponse), which anybody on the other side may have written:
 * `^(a+)+$` alone would hold up the whole process. V8 stops an expression when the time of the script around it is up;
 * re2js has no such bound: within the limits below it was seen to compile for 250 ms and to match for 190 ms.
 */
import { Script } from "node:vm";

export interface PatternTest {
  readonly pattern: string;
  readonly value: string;
}

/** For all tests together, by the clock; the bar is that nothing blocks for 100 ms (docs/reliability.md E4). */
const TIMEOUT_MS = 50;
const MAX_PATTERN = 512;
const MAX_VALUE = 4096;
/** Characters of all tests together: compiling the script is not bounded by the timeout. */
const MAX_TOTAL = 262_144;

/** Beyond it `.`, `\w`, `\d`, `\s` and `$` differ between dialects. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** POSIX classes and set operations: other dialects have them, and this one reads them as something else. */
const OTHER_DIALECT = /\[:|&&|~~|--/;

/**
 * Whether each value contains what its pattern describes.
 * @param timeoutMs milliseconds for all of them together, above 0
 * @returns one answer per test, in order. undefined is no judgement: the pattern or the value is too long, it is of
 *   another dialect or is none, or the tests took too long; then only the platform can tell.
 */
export function testPatterns(
  tests: readonly PatternTest[],
  timeoutMs: number = TIMEOUT_MS,
): readonly (boolean | undefined)[] {
  let room = MAX_TOTAL;
  const judged = tests.map((test) => {
    if (room < 0 || !isJudged(test)) return false;
    room -= test.pattern.length + test.value.length;
    return room >= 0;
  });
  const answers = run(
    tests.filter((_test, index) => judged[index]),
    timeoutMs,
  ).values();
  return judged.map((isJudged) => (isJudged ? (answers.next().value ?? undefined) : undefined));
}

function isJudged({ pattern, value }: PatternTest): boolean {
  return (
    pattern.length <= MAX_PATTERN &&
    value.length <= MAX_VALUE &&
    PRINTABLE_ASCII.test(value) &&
    !OTHER_DIALECT.test(pattern)
  );
}

/** The flag u refuses the escapes of other dialects instead of reading them as plain letters. */
const PROGRAM = `tests.map(([pattern, value]) => {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return null;
  }
})`;

function run(tests: readonly PatternTest[], timeoutMs: number): readonly (boolean | null)[] {
  if (tests.length === 0) return [];
  const data = JSON.stringify(tests.map(({ pattern, value }) => [pattern, value]));
  try {
    const answers: unknown = new Script(`((tests) => ${PROGRAM})(${data})`).runInThisContext({ timeout: timeoutMs });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- PROGRAM gives nothing else.
    return answers as (boolean | null)[];
  } catch {
    return [];
  }
}
