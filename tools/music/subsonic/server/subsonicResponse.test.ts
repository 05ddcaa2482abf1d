import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fields, serializeJson, type Value, serializeXml } from './subsonicResponse.ts';

const toJson = (value: Value): string => [...serializeJson(value)].join('');
const toXml = (name: string, value: Value): string => [...serializeXml(name, value)].join('');

const name = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,8}$/).filter((text) => !['value', 'xmlns'].includes(text));
const anyText = fc.oneof(
  // Includes lone surrogates and control characters.
  fc.array(fc.nat(0xffff), { maxLength: 10 }).map((units) => String.fromCharCode(...units)),
  fc.string(),
  fc.constantFrom(']]>', '<!--', '&amp;', '\u0000\uD800', 'a"b\'c\t\r\n'),
);
const plain = fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(undefined));
const { fields } = fc.letrec<{ fields: Fields; value: Value }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, plain, tie('fields'), fc.array(tie('fields'), { maxLength: 3 })),
  fields: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
}));

test('the JSON chunks together are the JSON of the whole value', () => {
  fc.assert(
    fc.property(fields, (value) => {
      expect(toJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

/** Returns the text that an XML reader gets, because XML can't represent every character. */
const toReadable = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are searched for
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD');

test('every text survives the XML unchanged, and nothing else is read', () => {
  fc.assert(
    fc.property(fc.dictionary(name, anyText, { maxKeys: 5 }), anyText, (attributes, value) => {
      const { root } = parseXml(toXml('song', { ...attributes, value }));
      expect({ ...root?.attributes }).toEqual(
        Object.fromEntries(Object.entries(attributes).map(([key, text]) => [key, toReadable(text)])),
      );
      expect(root?.children.every((child) => child instanceof XmlText)).toBe(true);
      expect(root?.text).toBe(toReadable(value));
    }),
  );
});

test('every value is well-formed XML, with an element for each item of a list', () => {
  fc.assert(
    fc.property(fields, (value) => {
      const { root } = parseXml(toXml('a', value));
      const expected = Object.values(value).reduce<number>(
        (sum, inner) => sum + (Array.isArray(inner) ? inner.length : Number(typeof inner === 'object')),
        0,
      );
      expect(root?.children.filter((child) => child instanceof XmlElement)).toHaveLength(expected);
    }),
  );
});

test('plain values are attributes, lists repeat their name, and `value` is the text', () => {
  const answer = {
    status: 'ok',
    openSubsonic: true,
    nothing: undefined,
    user: { username: 'Ada & Co', folder: [0, 1] },
    genres: { genre: [{ songCount: 3, value: 'Rock <"n"> roll' }] },
    playlists: { playlist: [] },
  };
  expect(toXml('subsonic-response', answer)).toBe(
    '<subsonic-response status="ok" openSubsonic="true">' +
      '<user username="Ada &amp; Co"><folder>0</folder><folder>1</folder></user>' +
      '<genres><genre songCount="3">Rock &lt;&quot;n&quot;&gt; roll</genre></genres>' +
      '<playlists></playlists></subsonic-response>',
  );
});
