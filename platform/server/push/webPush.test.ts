import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { hasValidKeys, encryptMessage } from './webPush.ts';

// RFC 8291, section 5 and appendix A.
const example = {
  text: 'When I grow up, I want to be a watermelon',
  senderKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of RFC 8291 is reproduced byte by byte', () => {
  const senderKeys = createECDH('prime256v1');
  senderKeys.setPrivateKey(Buffer.from(example.senderKey, 'base64url'));
  const message = encryptMessage(Buffer.from(example.text), example.keys, {
    senderKeys,
    salt: Buffer.from(example.salt, 'base64url'),
  });
  expect(Buffer.from(message).toString('base64url')).toBe(example.message);
});

test('the same message is never encrypted the same way twice', () => {
  const texts = Array.from({ length: 3 }, () =>
    Buffer.from(encryptMessage(Buffer.from('x'), example.keys)).toString('hex'),
  );
  expect(new Set(texts).size).toBe(3);
});

test('impossible keys of browsers are detected', () => {
  const { p256dh, auth } = example.keys;
  expect(hasValidKeys(example.keys)).toBe(true);
  const offCurve = Buffer.from(p256dh, 'base64url').fill(7, 1).toString('base64url');
  for (const wrong of [
    { p256dh: offCurve, auth },
    { p256dh: p256dh.slice(0, -2), auth },
    { p256dh: '', auth },
    { p256dh, auth: '' },
    { p256dh, auth: `${auth}AA` },
  ])
    expect(hasValidKeys(wrong)).toBe(false);
});
