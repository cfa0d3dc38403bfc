/**
 * Tests patterns of the catalog (spec, FieldSchemaConstraintsResponse). They are untrusted: `^(a+)+$` alone would block
 * the whole process. V8 stops an expression when the timeout of the script around it expires. re2js has no timeout:
 * within the limits below it took up to 250 ms to compile a pattern and 190 ms to match one.
 */
import { Script } from "node:vm";

export interface PatternTest {
  readonly pattern: string;
  readonly value: string;
}

/** For all tests together, in wall-clock time (docs/reliability.md E4). */
const TIMEOUT_MS = 50;
const MAX_PATTERN = 512;
const MAX_VALUE = 4096;
/** Characters of all tests together: compiling the script is not bounded by the timeout. */
const MAX_TOTAL = 262_144;

/** For other characters, `.`, `\w`, `\d`, `\s` and `$` differ between dialects. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** POSIX classes and set operations of other dialects, which JavaScript reads as something else. */
const OTHER_DIALECT = /\[:|&&|~~|--/;

/**
 * Reports whether each value matches its pattern.
 * @param timeoutMs milliseconds for all of them together, above 0
 * @returns one answer per test, in order. undefined means that only the platform can tell: the pattern or the value is
 *   too long, the pattern is invalid or of another dialect, or the tests took too long.
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
