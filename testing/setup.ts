// Runs before each test file, in the process of its worker.
import { afterAll } from 'vitest';
import { takeCost } from './cost.ts';
import { saveProcessState } from './processState.ts';

const restoreProcess = saveProcessState();

// Registered first, so it runs last: what the file's own hooks close is counted.
// oxlint-disable-next-line no-empty-pattern -- the runner reads the pattern
afterAll(({}, file) => {
  restoreProcess();
  file.meta.cost = takeCost();
});
