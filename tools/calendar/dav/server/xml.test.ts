import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { XmlError, emptyTag, escapeXml, parseXmlDocument, createRoot, tag } from './xml.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) => parseXmlDocument(encode(text));

test('names are resolved by their namespace, whatever the prefix', () => {
  const forms = [
    '<propfind xmlns="DAV:"><prop><getetag/><x xmlns="urn:other"/></prop></propfind>',
    '<D:propfind xmlns:D="DAV:"><D:prop><D:getetag></D:getetag><o:x xmlns:o="urn:other"/></D:prop></D:propfind>',
    '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- <a> --><a:propfind xmlns:a="DAV:" xmlns="urn:other"><a:prop><a:getetag/><x/></a:prop></a:propfind>\r\n',
  ];
  for (const form of forms) {
    const root = read(form);
    expect([root.name, ...(root.children[0]?.children.map(({ name }) => name) ?? [])]).toEqual([
      'd:propfind',
      'd:getetag',
      '{urn:other}x',
    ]);
  }
  const [none] = read('<a xmlns="DAV:"><b xmlns=""/></a>').children;
  expect(none).toMatchObject({ name: '{}b', namespace: '', local: 'b' });
  expect(read('<a xmlns="DAV:" start="1" d:end="2" xmlns:d="DAV:">x<![CDATA[<&>]]>&#13;&amp;</a>')).toMatchObject({
    attributes: { start: '1' },
    text: 'x<&>\r&',
  });
});

test.each([
  ['nothing', ''],
  ['no XML', 'PROPFIND'],
  ['JSON', '{"a":1}'],
  ['half a document', '<a xmlns="DAV:"><b>'],
  ['crossed tags', '<a xmlns="DAV:"><b></a></b>'],
  ['two roots', '<a xmlns="DAV:"/><b xmlns="DAV:"/>'],
  ['a prefix that is not declared', '<x:a/>'],
  ['a prefix of nothing', '<x:a xmlns:x=""/>'],
  ['two colons', '<a:b:c xmlns:a="DAV:"/>'],
  ['an attribute twice', '<a b="1" b="2"/>'],
  ['an attribute without quotes', '<a b=1/>'],
  ['an unknown entity', '<a>&nbsp;</a>'],
  ['a document type', '<!DOCTYPE a><a/>'],
  ['an entity bomb', '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'],
  ['an outside entity', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ['a character that XML has not', '<a>&#0;</a>'],
  ['a comment that never ends', '<a><!-- <b/></a>'],
  ['a section that never ends', '<a><![CDATA[ </a>'],
  ['an instruction that never ends', '<a><?x </a>'],
  ['another encoding', '<?xml version="1.0" encoding="utf-16"?><a/>'],
  ['a thousand levels', `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`],
  ['a million levels', '<a>'.repeat(600_000)],
  ['a hundred thousand elements', `<a>${'<b/>'.repeat(100_000)}</a>`],
  ['a million comments that never end', '<!--'.repeat(500_000)],
  ['a million quotes', `<a ${'"'.repeat(2_000_000)}`],
  ['a million ends of lines', `<a>${'\r'.repeat(2_000_000)}`],
])('%s is refused', (_what, text) => {
  expect(() => read(text)).toThrow(XmlError);
});

test('a body that is not UTF-8 is refused, whatever it declares', () => {
  expect(() => parseXmlDocument(Buffer.from('<a>é</a>', 'latin1'))).toThrow(XmlError);
  expect(() => parseXmlDocument(encode('<a/>'), 'text/xml; charset=utf-16')).toThrow(XmlError);
  expect(() => parseXmlDocument(Buffer.from('\uFEFF<a/>', 'utf16le'))).toThrow(XmlError);
  expect(parseXmlDocument(encode('<a/>'), 'application/xml; charset="UTF-8"').local).toBe('a');
});

test("written text is read back unchanged, except for characters that XML can't contain", () => {
  const [open, close] = createRoot('d:prop');
  assert(
    property(string({ unit: 'binary', maxLength: 200 }), (text) => {
      const back = read(open + tag('d:href', escapeXml(text)) + close).children[0]?.text ?? '';
      // oxlint-disable-next-line no-control-regex -- these cannot be written
      expect(back).toBe(text.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu, '\uFFFD'));
    }),
  );
});

test('a missing property is reported by the requested name', () => {
  const hostile = read('<prop xmlns="DAV:"><x xmlns="a&quot;b&lt;c&gt;"/><y xmlns=""/></prop>').children.map(emptyTag);
  const [open, close] = createRoot('d:prop');
  expect(read(open + hostile.join('') + close).children.map(({ name }) => name)).toEqual(['{a"b<c>}x', '{}y']);
});
