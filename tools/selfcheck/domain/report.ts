/**
 * `partly`: everything arrived except characters that the agent had named as impossible. `skipped`: the computer can't
 * or may not do this, and gave a reason.
 */
export type Outcome = 'passed' | 'partly' | 'failed' | 'skipped';

export interface CheckResult {
  readonly label: string;
  readonly outcome: Outcome;
  readonly expected: string;
  readonly received: string;
  /** Explains the outcome. */
  readonly note?: string | undefined;
  /** From the request to the last character. */
  readonly ms?: number | undefined;
}

/** Lines about the computer, such as its desktop and the versions of its programs. */
export type ReportFact = readonly [name: string, value: string];

function formatCharacter(character: string | undefined): string {
  if (character === undefined) return 'nothing';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `${JSON.stringify(character)} (U+${code})`;
}

/** Describes the first character that differs; undefined if both texts are the same. */
export function describeDifference(expected: string, received: string): string | undefined {
  if (expected === received) return undefined;
  const expectedCharacters = Array.from(expected);
  const receivedCharacters = Array.from(received);
  const length = Math.max(expectedCharacters.length, receivedCharacters.length);
  const index = Array.from({ length }).findIndex((_, at) => expectedCharacters[at] !== receivedCharacters[at]);
  return (
    `First difference at character ${index + 1}: expected ${formatCharacter(expectedCharacters[index])}, ` +
    `received ${formatCharacter(receivedCharacters[index])}`
  );
}

/** Removes all characters that the agent named. */
export function removeNamed(text: string, dropped: readonly string[]): string {
  const named = new Set(dropped);
  return Array.from(text)
    .filter((character) => !named.has(character))
    .join('');
}

/** How many characters a note names. */
const MAX_NAMED = 20;
/** How much of a text the report quotes. */
const MAX_QUOTE_LENGTH = 200;

/** Compares a typed text with the one that arrived. @param dropped characters that the agent named as impossible */
export function compareTexts(label: string, { expected, received, dropped, ms }: CompareTextsInput): CheckResult {
  if (received === expected) return { label, outcome: 'passed', expected, received, ms };
  if (dropped.length > 0 && received === removeNamed(expected, dropped)) {
    const named = [...new Set(dropped)];
    const restCount = named.length - MAX_NAMED;
    const examples = named.slice(0, MAX_NAMED).join(' ');
    return {
      label,
      outcome: 'partly',
      expected,
      received,
      ms,
      note: `The agent reported that it can't type ${named.length} of the characters here: ${examples}${restCount > 0 ? ` and ${restCount} more` : ''}`,
    };
  }
  return { label, outcome: 'failed', expected, received, note: describeDifference(expected, received) };
}

interface CompareTextsInput {
  readonly expected: string;
  readonly received: string;
  readonly dropped: readonly string[];
  readonly ms?: number | undefined;
}

const MARKS: Readonly<Record<Outcome, string>> = { passed: '✔', partly: '◐', failed: '✘', skipped: '–' };
const OUTCOMES: readonly Outcome[] = ['passed', 'partly', 'failed', 'skipped'];

/** Counts the outcomes: 'Passed 18, failed 1'. */
export function summarizeResults(results: readonly CheckResult[]): string {
  const counts = OUTCOMES.map((outcome) => [outcome, results.filter((result) => result.outcome === outcome).length]);
  const summary = counts
    .filter(([, count]) => count !== 0)
    .map(([outcome, count]) => `${String(outcome)} ${String(count)}`)
    .join(', ');
  return summary.charAt(0).toUpperCase() + summary.slice(1);
}

function quote(text: string): string {
  const characters = Array.from(text);
  const restCount = characters.length - MAX_QUOTE_LENGTH;
  return restCount > 0
    ? `${JSON.stringify(characters.slice(0, MAX_QUOTE_LENGTH).join(''))} and ${restCount} more`
    : JSON.stringify(text);
}

function listResultLines({ label, outcome, expected, received, note, ms }: CheckResult): readonly string[] {
  const title = `${MARKS[outcome]} ${label}: ${outcome}${ms === undefined ? '' : ` in ${Math.round(ms)} ms`}`;
  const noteLines = note === undefined ? [] : [`    ${note}`];
  if (outcome !== 'failed') return [title, ...noteLines];
  return [title, `    expected: ${quote(expected)}`, `    received: ${quote(received)}`, ...noteLines];
}

/** Formats the report as text for a bug report. Line breaks in texts are escaped. */
export function formatReport(facts: readonly ReportFact[], results: readonly CheckResult[]): string {
  return [
    'Pegboard self-check',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    summarizeResults(results),
    '',
    ...results.flatMap(listResultLines),
    '',
  ].join('\n');
}
