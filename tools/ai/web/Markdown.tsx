import { Lexer } from 'marked';
import { createContext, memo, use, useState, type ComponentProps, type ReactNode } from 'react';
import ReactMarkdown from 'react-markdown';
import type { Components } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import remend from 'remend';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Scrollable } from './Scrollable.tsx';
import styles from './Markdown.module.css';

const PROTOCOLS = /^(?:https?|ircs?|mailto|xmpp):/i;
/** A path of this site; `//host` and `/\host` lead to other sites. */
const SITE_PATH = /^\/(?![/\\])/;
/** Characters that browsers ignore in an address. */
const IGNORED = /[\p{Cc}\p{Cf}\p{Z}]/gu;

/** Returns an address if an answer may link to it; '' otherwise. */
export function safeUrl(url: string): string {
  const read = url.replaceAll(IGNORED, '');
  return PROTOCOLS.test(read) || SITE_PATH.test(read) ? read : '';
}

/**
 * A block of markdown that is rendered on its own. `plain` blocks are shown as text, because rendering would take too
 * long.
 */
export interface Block {
  readonly raw: string;
  readonly plain: boolean;
}

/** A text and its blocks, so that a longer text can continue from here. */
export interface Blocks {
  readonly text: string;
  readonly blocks: readonly Block[];
}

const MAX_CHARACTERS = 20_000;
const DEEPEST = 20;
/** Inline marks. Pairing them takes quadratic time. */
const MARKS = /[*_~`[\]<&@!]/g;
const MAX_MARKS = 3000;
const MAX_MARKS_PER_LINE = 300;
/** Quote and list marks at the start of a line. */
const NESTING = /^(?:[ \t]*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/;

const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

const measureDepth = (line: string): number => {
  if (RULE.test(line)) return 0;
  const nesting = NESTING.exec(line)?.[0] ?? '';
  return nesting.replaceAll(/[ \t\d]/g, '').length + (/^[ \t]*/.exec(nesting)?.[0].length ?? 0) / 2;
};
const countMarks = (text: string): number => text.match(MARKS)?.length ?? 0;
const isCode = (raw: string): boolean => /^ {0,3}(?:```|~~~)/.test(raw);

const isTooComplex = (raw: string): boolean =>
  raw.length > MAX_CHARACTERS ||
  countMarks(raw) > MAX_MARKS ||
  raw.split('\n').some((line) => measureDepth(line) > DEEPEST || countMarks(line) > MAX_MARKS_PER_LINE);

const isDeep = (text: string): boolean => text.split('\n').some((line) => measureDepth(line) > DEEPEST);

/** Splits a text into blocks. Skips the lexer's inline pass: it is unused and quadratic for some texts. */
const splitBlocks = (text: string): readonly Block[] => {
  // The lexer recurses for each level, and could overflow the stack.
  if (isDeep(text) && !isCode(text)) return [{ raw: text, plain: true }];
  return new Lexer().blockTokens(text, []).map(({ raw }) => ({ raw, plain: !isCode(raw) && isTooComplex(raw) }));
};

/** Splits markdown into blocks. If the text continues `before`, only blocks at its end are lexed again. */
export function parseBlocks(text: string, before?: Blocks): Blocks {
  const reusable = before !== undefined && text.startsWith(before.text) ? before.blocks : [];
  // The last block may continue, and blank lines after it may turn out to be part of it.
  const settled = reusable.slice(
    0,
    Math.max(
      0,
      reusable.findLastIndex(({ raw }) => raw.trim() !== ''),
    ),
  );
  const length = settled.reduce((sum, { raw }) => sum + raw.length, 0);
  return { text, blocks: [...settled, ...splitBlocks(text.replaceAll(/\r\n?/g, '\n').slice(length))] };
}

/** Closes open markup at the end of a text that is still being written. */
export function closed(raw: string): string {
  return remend(raw);
}

const InLink = createContext(false);

function Link({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const isInLink = use(InLink);
  if (href === undefined || href === '' || isInLink) return <span>{children}</span>;
  return (
    <InLink value>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    </InLink>
  );
}

interface Node {
  readonly value?: string;
  readonly children?: readonly Node[];
}
const getText = ({ value, children = [] }: Node): string => value ?? children.map(getText).join('');

const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  // Images are links, so that no image loads from another site.
  img: ({ src, alt }) => (
    <Link href={typeof src === 'string' ? src : undefined}>Image: {alt === undefined || alt === '' ? src : alt}</Link>
  ),
  // The title of the page is the only heading of level 1.
  h1: ({ children }) => <h2>{children}</h2>,
  pre: ({ children, node }) => (
    <div className={styles['code']}>
      <Scrollable as="pre" label="Code">
        {children}
      </Scrollable>
      <CopyButton label="Copy code" text={node === undefined ? '' : getText(node).replace(/\n$/, '')} />
    </div>
  ),
  table: ({ children }) => (
    <Scrollable className={styles['table']} label="Table">
      <table>{children}</table>
    </Scrollable>
  ),
  input: ({ checked }) => <input type="checkbox" disabled checked={checked} readOnly aria-label="Done" />,
};

const plugins: ComponentProps<typeof ReactMarkdown>['remarkPlugins'] = [remarkGfm, remarkBreaks];

const MarkdownBlock = memo(function MarkdownBlock({ raw, plain }: { readonly raw: string; readonly plain: boolean }) {
  if (plain) return <p className={styles['plain']}>{raw}</p>;
  return (
    <ReactMarkdown skipHtml remarkPlugins={plugins} urlTransform={safeUrl} components={components}>
      {raw}
    </ReactMarkdown>
  );
});

interface MarkdownProps {
  readonly text: string;
  /** The text is still being written: marks its end, and closes open markup. */
  readonly running: boolean;
}

/** Renders markdown with hard line breaks and without HTML. Only blocks that changed are rendered again. */
export function Markdown({ text, running }: MarkdownProps) {
  const [cut, setCut] = useState<Blocks>(() => parseBlocks(text));
  if (cut.text !== text) setCut(parseBlocks(text, cut));
  const last = cut.blocks.length - 1;
  return (
    <div className={styles['md']} data-running={running || undefined} dir="auto">
      {cut.blocks.map(({ raw, plain }, at) => {
        const shown = running && at === last && !plain ? closed(raw) : raw;
        // oxlint-disable-next-line react/no-array-index-key -- blocks are only added at the end
        return shown.trim() === '' ? null : <MarkdownBlock key={at} raw={shown} plain={plain} />;
      })}
    </div>
  );
}
