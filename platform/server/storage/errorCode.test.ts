import { expect, test } from 'vitest';
import { Refusal } from '#platform/contract/refusal.ts';
import { getErrorCode, hasErrorCode } from './errorCode.ts';

test('errors of the system have a code; refusals, whose code is ours, and other values have none', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect([getErrorCode(missing), hasErrorCode(missing, 'ENOENT'), hasErrorCode(missing, 'EXDEV')]).toEqual([
    'ENOENT',
    true,
    false,
  ]);
  const valuesWithoutCode = [
    new Refusal('disk.low', 'Free some space'),
    new Error('none'),
    Object.assign(new Error(''), { code: 5 }),
  ];
  expect([...valuesWithoutCode, undefined, 'ENOENT'].map(getErrorCode)).toEqual(['', '', '', '', '']);
});
