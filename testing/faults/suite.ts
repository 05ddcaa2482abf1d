/** How many cases of one kind were tried, and what went wrong in those that failed: each with its seed. */
export interface SuiteResult {
  readonly what: string;
  readonly caseCount: number;
  readonly failures: readonly string[];
}

/** Something that is put to the test for as long as it takes. */
export interface FaultSuite {
  readonly name: string;
  /** `say` shows how far it is. */
  readonly run: (say: (line: string) => void) => Promise<readonly SuiteResult[]>;
}
