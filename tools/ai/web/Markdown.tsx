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

const PROTOCOL_PATTERN = /^(?:https?|ircs?|mailto|xmpp):/i;
/** A path of this site; `//host` and `/\host` lead to other sites. */
const SITE_PATH_PATTERN = /^\/(?![/\\])/;
/** Characters that browsers ignore in an address. */
const IGNORED_CHARACTERS_PATTERN = /[\p{Cc}\p{Cf}\p{Z}]/gu;

/** Returns the address without ignored characters if an answer may link to it, otherwise ''. */
export function sanitizeUrl(url: string): string {
  const cleaned = url.replaceAll(IGNORED_CHARACTERS_PATTERN, '');
  return PROTOCOL_PATTERN.test(cleaned) || SITE_PATH_PATTERN.test(cleaned) ? cleaned : '';
}

/** A block of markdown that is rendered separately. */
export interface Block {
  readonly raw: string;
  /** Shown as text, because rendering markdown would take too long. */
  readonly isPlain: boolean;
}

/** A text and its blocks, so that a longer text can continue from here. */
export interface ParsedMarkdown {
  readonly text: string;
  readonly blocks: readonly Block[];
}

const MAX_CHARACTERS = 20_000;
const MAX_DEPTH = 20;
/** Inline marks. Pairing them takes quadratic time. */
const MARKS_PATTERN = /[*_~`[\]<&@!]/g;
const MAX_MARKS = 3000;
const MAX_MARKS_PER_LINE = 300;
/** Quote and list marks at the start of a line. */
const NESTING_PATTERN = /^(?:[ \t]*(?:>|[-+*](?=\s|$)|\d{1,9}[.)](?=\s|$)))+/;

const RULE_PATTERN = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

function measureDepth(line: string): number {
  if (RULE_PATTERN.test(line)) return 0;
  const nesting = NESTING_PATTERN.exec(line)?.[0] ?? '';
  return nesting.replaceAll(/[ \t\d]/g, '').length + (/^[ \t]*/.exec(nesting)?.[0].length ?? 0) / 2;
}
const countMarks = (text: string): number => text.match(MARKS_PATTERN)?.length ?? 0;
const isCode = (raw: string): boolean => /^ {0,3}(?:```|~~~)/.test(raw);

const isTooComplex = (raw: string): boolean =>
  raw.length > MAX_CHARACTERS ||
  countMarks(raw) > MAX_MARKS ||
  raw.split('\n').some((line) => measureDepth(line) > MAX_DEPTH || countMarks(line) > MAX_MARKS_PER_LINE);

const isDeep = (text: string): boolean => text.split('\n').some((line) => measureDepth(line) > MAX_DEPTH);

/** Splits a text into blocks. Skips the lexer's inline pass, which is not needed and quadratic for some texts. */
function splitBlocks(text: string): readonly Block[] {
  // The lexer recurses for each level and could overflow the stack.
  if (isDeep(text) && !isCode(text)) return [{ raw: text, isPlain: true }];
  return new Lexer().blockTokens(text, []).map(({ raw }) => ({ raw, isPlain: !isCode(raw) && isTooComplex(raw) }));
}

/** Splits markdown into blocks. If the text continues the previous one, only blocks at its end are lexed again. */
export function parseBlocks(text: string, previous?: ParsedMarkdown): ParsedMarkdown {
  const reusable = previous !== undefined && text.startsWith(previous.text) ? previous.blocks : [];
  // The last block may continue, and blank lines after it may turn out to be part of it.
  const unchanged = reusable.slice(
    0,
    Math.max(
      0,
      reusable.findLastIndex(({ raw }) => raw.trim() !== ''),
    ),
  );
  const length = unchanged.reduce((sum, { raw }) => sum + raw.length, 0);
  return { text, blocks: [...unchanged, ...splitBlocks(text.replaceAll(/\r\n?/g, '\n').slice(length))] };
}

const InLinkContext = createContext(false);

function Link({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const isInLink = use(InLinkContext);
  if (href === undefined || href === '' || isInLink) return <span>{children}</span>;
  return (
    <InLinkContext value>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    </InLinkContext>
  );
}

interface MarkdownNode {
  readonly value?: string;
  readonly children?: readonly MarkdownNode[];
}
const getText = ({ value, children = [] }: MarkdownNode): string => value ?? children.map(getText).join('');

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

const MarkdownBlock = memo(function MarkdownBlock({
  raw,
  isPlain,
}: {
  readonly raw: string;
  readonly isPlain: boolean;
}) {
  if (isPlain) return <p className={styles['plain']}>{raw}</p>;
  return (
    <ReactMarkdown skipHtml remarkPlugins={plugins} urlTransform={sanitizeUrl} components={components}>
      {raw}
    </ReactMarkdown>
  );
});

interface MarkdownProps {
  readonly text: string;
  /** The text is still being written: marks its end, and closes open markup. */
  readonly isRunning: boolean;
}

/** Renders markdown with hard line breaks and without HTML. Only blocks that changed are rendered again. */
export function Markdown({ text, isRunning }: MarkdownProps) {
  const [parsed, setParsed] = useState<ParsedMarkdown>(() => parseBlocks(text));
  if (parsed.text !== text) setParsed(parseBlocks(text, parsed));
  const last = parsed.blocks.length - 1;
  return (
    <div className={styles['md']} data-running={isRunning || undefined} dir="auto">
      {parsed.blocks.map(({ raw, isPlain }, index) => {
        const shown = isRunning && index === last && !isPlain ? remend(raw) : raw;
        // oxlint-disable-next-line react/no-array-index-key -- blocks are only added at the end
        return shown.trim() === '' ? null : <MarkdownBlock key={index} raw={shown} isPlain={isPlain} />;
      })}
    </div>
  );
}
