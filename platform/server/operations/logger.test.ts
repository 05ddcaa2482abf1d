import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

test('fields that tools declare as secret are redacted at every depth, like those of the platform', () => {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    secretFields: ['diary'],
    destination: { write: (line: string) => void lines.push(line) },
  });
  log.info({ diary: 'dear', password: 'pass', request: [{ diary: 'dear', page: 3 }] }, 'written');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    diary: '[hidden]',
    password: '[hidden]',
    request: [{ diary: '[hidden]', page: 3 }],
    msg: 'written',
  });
  createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }).info({
    diary: 'mine',
  });
  expect(lines.at(-1)).toContain('mine');
});
