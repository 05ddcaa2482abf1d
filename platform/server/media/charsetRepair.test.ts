import { expect, test } from 'vitest';
import { createCharsetRepair } from './charsetRepair.ts';

const decodeLatin1 = (bytes: readonly number[]): string => Buffer.from(bytes).toString('latin1');
const encodeCyrillic = (text: string): string =>
  decodeLatin1(
    Array.from(text, (character) =>
      /[А-я]/.test(character) ? (character.codePointAt(0) ?? 0) - 0x410 + 0xc0 : character.charCodeAt(0),
    ),
  );

test('UTF-8 that was labelled Latin-1 or windows-1252 is repaired', () => {
  const repair = createCharsetRepair(['Für Élise', 'Björk'].map((text) => Buffer.from(text).toString('latin1')));
  expect(repair(Buffer.from('Für Élise').toString('latin1'))).toBe('Für Élise');
  expect(createCharsetRepair(['Ã‰lise'])('Ã‰lise')).toBe('Élise');
});

test('Russian and Japanese are detected by unambiguous texts, for all texts of the file', () => {
  const [title, artist, short] = ['Группа крови', 'Кино', 'Я и ты'].map(encodeCyrillic);
  const repair = createCharsetRepair([title ?? '', artist ?? '']);
  expect([title, artist, short].map((text) => repair(text ?? ''))).toEqual(['Группа крови', 'Кино', 'Я и ты']);
  const sakura = decodeLatin1([0x82, 0xb3, 0x82, 0xad, 0x82, 0xe7]);
  expect(createCharsetRepair([sakura])(sakura)).toBe('さくら');
});

test.each([
  'Motörhead',
  'Für Élise',
  'Ænima',
  'À la fin',
  'Ñandú',
  'Sigur Rós – Ágætis byrjun',
  'ÄÖÜ',
  'Größe',
  '日本',
  'Кино',
  '“Heroes”',
  'Øde',
  'é',
  'Don\x92t',
  'Don\x92t Stop',
  'It\x92s',
  'I\x92m',
  '70\x92s',
  'L\x92été',
  'L\x92élève',
  'C\x92est déjà l\x92heure',
  'O\x92Brien',
  'Rock \x92n Roll',
  'Rock\x91n\x92Roll',
  '\x92t Is',
  '\x93quoted\x94',
  '(\x93quoted\x94)',
  'Wait\x85What',
  'A\x96B\x97C',
  'N\x95E\x95R\x95D',
  '\x8akoda',
  '\x8ei\x9eek',
  'C\x9cur',
  'Don’t',
  'L’été',
  'BEYONCÉ’S',
  'CAFÉ\x92S',
  'CAFÉ…',
  'Spaß…',
  'heiß’',
  'MÜNCHEN',
  'ÀÀÀÀÀ',
  'ÄÖÜß',
  'éééé',
])('%s stays unchanged', (text) => {
  expect(createCharsetRepair([text])(text)).toBe(text);
});

test('a file in another charset keeps its texts that are Latin-1', () => {
  const repair = createCharsetRepair([encodeCyrillic('Группа крови'), 'Björk']);
  expect([repair('Björk'), repair('Motörhead'), repair(encodeCyrillic('Я и ты'))]).toEqual([
    'Björk',
    'Motörhead',
    'Я и ты',
  ]);
  const repairJapanese = createCharsetRepair([decodeLatin1([0x82, 0xb3, 0x82, 0xad, 0x82, 0xe7])]);
  expect([repairJapanese('Björk'), repairJapanese('Andrés')]).toEqual(['Björk', 'Andrés']);
});

test.each([
  ['アイウ', [0x83, 0x41, 0x83, 0x43, 0x83, 0x45]],
  ['J太郎', [0x4a, 0x91, 0xbe, 0x98, 0x59]],
  ['Love 花', [0x4c, 0x6f, 0x76, 0x65, 0x20, 0x89, 0xd4]],
  ['日本', [0x93, 0xfa, 0x96, 0x7b]],
  ['糸', [0x8e, 0x85]],
  ['Tシャツ', [0x54, 0x83, 0x56, 0x83, 0x83, 0x83, 0x63]],
])('%s is decoded as Shift JIS, with or without Latin letters', (text, bytes) => {
  expect(createCharsetRepair([decodeLatin1(bytes)])(decodeLatin1(bytes))).toBe(text);
});

test.each(['Bucureşti', 'București', 'Łódź', 'Αθήνα', 'Кино', 'Azərbaycan', 'CŒUR', 'Beyoncé’s', '日本', 'ÉTÉ…'])(
  '%s is repaired if its UTF-8 was labelled Latin-1',
  (text) => {
    const mislabelled = Buffer.from(text).toString('latin1');
    expect(createCharsetRepair([mislabelled])(mislabelled)).toBe(text);
  },
);
