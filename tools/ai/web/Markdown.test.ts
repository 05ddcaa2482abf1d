import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBlocks, type ParsedMarkdown, sanitizeUrl } from './Markdown.tsx';

const line = fc.constantFrom(
  'text **bold**',
  '',
  '',
  '- item',
  '  more',
  '1. one',
  '> quote',
  '```',
  '# head',
  '| a | b |',
  '|---|---|',
  '    code',
  '---',
  'a\r',
);

const joinBlocks = (parsed: ParsedMarkdown | undefined): string =>
  (parsed?.blocks ?? []).map(({ raw }) => raw).join('');

test('a growing text has the same blocks as the complete one, and loses no character', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 25 }), fc.array(fc.nat({ max: 12 }), { minLength: 1 }), (lines, sizes) => {
      const text = lines.join('\n');
      let parsed: ParsedMarkdown | undefined;
      for (let end = 0, step = 0; end < text.length; step += 1) {
        end = Math.min(text.length, end + 1 + (sizes[step % sizes.length] ?? 0));
        parsed = parseBlocks(text.slice(0, end), parsed);
      }
      expect(joinBlocks(parsed)).toBe(joinBlocks(parseBlocks(text)));
      expect(joinBlocks(parsed).trimEnd()).toBe(text.replaceAll(/\r\n?/g, '\n').trimEnd());
    }),
  );
});

test('only the end of a growing text is lexed again', () => {
  const before = parseBlocks('# One\n\nfirst\n\nsecond');
  const after = parseBlocks('# One\n\nfirst\n\nsecond and more', before);
  expect(after.blocks[0]).toBe(before.blocks[0]);
  expect(after.blocks.at(-1)).toEqual({ raw: 'second and more', isPlain: false });
});

test.each([
  ['quotes', '>'.repeat(5000)],
  ['lists', '1. '.repeat(5000)],
  ['marks', '*a_ '.repeat(2000)],
  ['backticks', '` '.repeat(5000)],
  ['one paragraph', 'word '.repeat(10_000)],
  ['lists by their indent', Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')],
])('%s beyond measure are shown unchanged', (_, text) => {
  expect(parseBlocks(text).blocks.every(({ isPlain }) => isPlain)).toBe(true);
});

test('code blocks and rules are never too complex', () => {
  const code = `\`\`\`\n${'*_ '.repeat(3000)}\n\`\`\``;
  for (const text of [code, '- '.repeat(40), '| a | b |\n|---|---|\n'.concat('| x | y |\n'.repeat(300))])
    expect(parseBlocks(text).blocks.some(({ isPlain }) => isPlain)).toBe(false);
});

test.each([
  'https://a.example/x?y#z',
  'HTTP://a.example',
  'irc://a/b',
  'ircs://a/b',
  'mailto:a@b.example',
  'xmpp:a@b.example',
  '/dashboard',
])('%s may be a link', (url) => expect(sanitizeUrl(url)).toBe(url));

test.each([
  'javascript:alert(1)',
  'JaVa\tScRiPt:alert(1)',
  '\u0001javascript:alert(1)',
  'java\u200bscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://a/b',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'ftp://a',
  'tel:1',
  'page',
  '#x',
  '?x',
  '',
])('%j may not', (url) => expect(sanitizeUrl(url)).toBe(''));
