import { expect, test } from 'vitest';
import { validateNewPassword } from './passwords.ts';

const check =
  (password: string, username = 'Ada') =>
  () =>
    validateNewPassword(password, username);

test.each([
  ['', 'Enter a password'],
  ['1234567', 'This password is too short. Enter at least 8 characters'],
  ['👋'.repeat(7), 'This password is too short. Enter at least 8 characters'],
  ['a'.repeat(257), 'This password is too long. Enter at most 256 characters'],
  ['password', 'This password is too common. Choose another one'],
  ['PassWord', 'This password is too common. Choose another one'],
  ['1qaz2wsx', 'This password is too common. Choose another one'],
  ['pegboard', 'This password is too common. Choose another one'],
  ['Pegboard', 'This password is too common. Choose another one'],
])('%j is refused', (password, sentence) => {
  expect(check(password)).toThrow(sentence);
});

test('the username is not allowed as a password, whatever its case', () => {
  expect(check('ada lovelace', 'Ada Lovelace')).toThrow("The password can't be the username. Choose another one");
});

test.each(['correct horse staple', '👋'.repeat(8), 'a'.repeat(256), '  spaces  ', 'ünïcödé!', 'aaaaaaab c'])(
  '%j is accepted',
  (password) => {
    expect(check(password)).not.toThrow();
  },
);
