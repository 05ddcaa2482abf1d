import { renderUnicodeCompact } from 'uqr';

export interface Greeting {
  /** Origins to open, this computer's own first. */
  readonly origins: readonly string[];
  /** Origins that other machines reach, best first. */
  readonly outer: readonly string[];
  /** While there is no owner. */
  readonly setupCode: string | undefined;
}

/** The code stands behind `#`: browsers keep that part to themselves, so it is in no log. */
const setupLink = (origin: string, code: string): string => `${origin}/signup#setup=${encodeURIComponent(code)}`;

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** What the starting server says to the person in front of it: where to open it and, while it has no owner, the set-up link and its QR code. */
export const greeting = ({ origins, outer, setupCode }: Greeting): string => {
  const lines = ['', 'Pegboard is ready. Open', ...origins.map((origin) => `  ${origin}`), ''];
  if (setupCode !== undefined) {
    const link = setupLink(outer[0] ?? origins[0] ?? '', setupCode);
    lines.push(
      'Nobody has an account yet, and the first one owns this server. Make it on this computer, or with this link:',
    );
    lines.push(`  ${link}`, '');
    if (outer.length > 0) lines.push(indented(renderUnicodeCompact(link)), '');
  }
  return `${lines.join('\n')}\n`;
};
