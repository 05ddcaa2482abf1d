// Runs before each test file, in its worker process.
import { afterAll } from 'vitest';
import { takeCost } from './cost.ts';
import { saveProcessState } from './processState.ts';

const restoreProcess = saveProcessState();

// Registered first, so it runs last and counts what the file's own hooks close.
// oxlint-disable-next-line no-empty-pattern -- the runner reads the pattern
afterAll(({}, file) => {
  restoreProcess();
  file.meta.cost = takeCost();
});
