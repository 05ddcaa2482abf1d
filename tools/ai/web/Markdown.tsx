import { createContext, memo, use, useState, type ComponentProps, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { blocksOf, closed, type Blocks } from './blocks.ts';
import { safeUrl } from './safeUrl.ts';
import { Scrollable } from './Scrollable.tsx';
import styles from './Markdown.module.css';

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
  const [cut, setCut] = useState<Blocks>(() => blocksOf(text));
  if (cut.text !== text) setCut(blocksOf(text, cut));
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
