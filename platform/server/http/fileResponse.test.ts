import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePercent } from '#platform/contract/text.ts';
import { formatAttachmentDisposition } from './fileResponse.ts';

test.each([
  ['a.zip', `attachment; filename="a.zip"; filename*=UTF-8''a.zip`],
  [
    "Ann's Łą (1).zip",
    `attachment; filename="Ann's __ (1).zip"; filename*=UTF-8''Ann%27s%20%C5%81%C4%85%20%281%29.zip`,
  ],
  ['../../etc/passwd', `attachment; filename="__.._etc_passwd"; filename*=UTF-8''__.._etc_passwd`],
  ['a"\r\nset-cookie: b', `attachment; filename="a___set-cookie_ b"; filename*=UTF-8''a___set-cookie_%20b`],
  ['100%.txt', `attachment; filename="100%.txt"; filename*=UTF-8''100%25.txt`],
])('a download named %j has a header that every browser understands', (name, header) => {
  expect(formatAttachmentDisposition(name)).toBe(header);
});

/** Includes unpaired surrogates. */
const anyCharacter = fc.integer({ min: 0, max: 0x1ffff }).map((code) => String.fromCodePoint(code));

test('no name breaks the header, and allowed names survive', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (name) => {
      const header = formatAttachmentDisposition(name);
      expect(header).toMatch(
        /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/,
      );
      expect(decodePercent(/''(.*)$/.exec(header)?.[1] ?? '')).toBeDefined();
    }),
  );
});
