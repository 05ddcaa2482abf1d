import { expect, test } from 'vitest';
import { createPasswordHasher } from './passwords.ts';

const light = createPasswordHasher('light');

test('a password matches its own hash and no other', async () => {
  const phc = await light.hash('pässword 👋');
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await light.verify(phc, 'pässword 👋')).toBe(true);
  expect(await light.verify(phc, 'pässword 👋 ')).toBe(false);
  expect(await light.hash('pässword 👋')).not.toBe(phc);
});

test('a hash of another program with the same parameters is accepted', async () => {
  // From the tests of argon2's reference implementation.
  const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await light.verify(phc, 'password')).toBe(true);
});

test('a hash with other parameters is outdated, but still matches', async () => {
  const full = createPasswordHasher('full');
  const old = await light.hash('correct horse');
  expect(full.isOutdated(old)).toBe(true);
  expect(light.isOutdated(old)).toBe(false);
  expect(await full.verify(old, 'correct horse')).toBe(true);
});

test('the dummy hash for unknown users costs as much as a real one', async () => {
  const real = await light.hash('correct horse');
  expect(light.dummyHash.split('$').slice(0, 4)).toEqual(real.split('$').slice(0, 4));
  expect(await light.verify(light.dummyHash, 'correct horse')).toBe(false);
});

test('an invalid hash is a fault whose message does not contain it', async () => {
  await expect(light.verify('$2b$10$secret', 'x')).rejects.toThrow('a stored password hash cannot be read');
});
