import { renderUnicodeCompact } from 'uqr';

export interface StartupMessage {
  /** Origins to open, this computer's own first. */
  readonly origins: readonly string[];
  /** Origins that other machines reach, best first. */
  readonly networkOrigins: readonly string[];
  /** https by this server itself; undefined where it is off. */
  readonly https?:
    | { readonly origins: readonly string[]; readonly name: string; readonly fingerprint: string }
    | undefined;
  /** While there is no owner. */
  readonly setupCode: string | undefined;
}

/** The code stands behind `#`: browsers keep that part to themselves, so it is in no log. */
const setupLink = (origin: string, code: string): string => `${origin}/signup#setup=${encodeURIComponent(code)}`;

const indented = (text: string): string => text.replace(/^/gm, '  ');

/** Shown so that a person can hold it against what the phone shows: a page over http may have been changed on the way. */
const formatHttps = ({ https, networkOrigins, origins }: StartupMessage): readonly string[] => {
  if (https === undefined) return [];
  const page = `${networkOrigins[0] ?? origins[0] ?? ''}/trust`;
  return [
    `Over https, once a phone or computer trusts this server (${page} says how):`,
    ...https.origins.map((origin) => `  ${origin}`),
    `The certificate to trust is named '${https.name}', its SHA-256 fingerprint is`,
    `  ${https.fingerprint}`,
    '',
  ];
};

/** What the starting server says to the person in front of it: where to open it and, while it has no owner, the set-up link and its QR code. */
export const formatStartupMessage = (all: StartupMessage): string => {
  const { origins, networkOrigins, setupCode } = all;
  const lines = ['', 'Pegboard is ready. Open', ...origins.map((origin) => `  ${origin}`), '', ...formatHttps(all)];
  if (setupCode !== undefined) {
    const link = setupLink(networkOrigins[0] ?? origins[0] ?? '', setupCode);
    lines.push(
      'Nobody has an account yet, and the first one owns this server. Make it on this computer, or with this link:',
    );
    lines.push(`  ${link}`, '');
    if (networkOrigins.length > 0) lines.push(indented(renderUnicodeCompact(link)), '');
  }
  return `${lines.join('\n')}\n`;
};
