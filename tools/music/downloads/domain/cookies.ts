/** A cookie in a cookies.txt (Netscape format), which is one line. */
export interface Cookie {
  /** In lower case, without a leading dot. */
  readonly domain: string;
  /** The line of the file. */
  readonly line: string;
  /** Seconds since the epoch; 0 for a session cookie. */
  readonly expires: number;
}

/** Thrown for a text that is not a cookies.txt. The message is a sentence for the user. */
export class InvalidCookiesError extends Error {
  override readonly name = 'InvalidCookiesError';
}

const MAX_COOKIES = 3000;
const HEADER = '# Netscape HTTP Cookie File';
const EXPORT_HINT = 'Export it with a browser extension that writes cookies.txt (Netscape format)';
/** Exports of a whole browser also contain `localhost` and names in any script. */
const DOMAIN_PATTERN =
  /^\.?(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?\.)+\p{L}[\p{L}\p{N}-]*$|^localhost$|^(?:\d{1,3}\.){3}\d{1,3}$/iu;

function parseCookie(line: string, lineNumber: number): Cookie | undefined {
  const text = line.replace(/^#HttpOnly_/, '');
  if (text.trim() === '' || text.startsWith('#')) return undefined;
  const fields = text.split('\t');
  const [domain = '', , path = '', , expires = ''] = fields;
  if (
    fields.length !== 7 ||
    !DOMAIN_PATTERN.test(domain) ||
    !path.startsWith('/') ||
    !/^-?\d*(?:\.\d+)?$/.test(expires)
  )
    throw new InvalidCookiesError(`Line ${lineNumber} is not a cookie. ${EXPORT_HINT}`);
  return {
    domain: domain.replace(/^\./, '').toLowerCase(),
    line,
    expires: Math.max(0, Math.floor(Number(expires) || 0)),
  };
}

/** Parses a cookies.txt. @throws InvalidCookiesError with the number of the invalid line, but without its content. */
export function parseCookies(text: string): readonly Cookie[] {
  if (/^\s*[[{]/.test(text)) throw new InvalidCookiesError(`This file is JSON. ${EXPORT_HINT}`);
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const cookies = lines.flatMap((line, index) => parseCookie(line, index + 1) ?? []);
  if (cookies.length === 0) throw new InvalidCookiesError(`This file has no cookies. ${EXPORT_HINT}`);
  if (cookies.length > MAX_COOKIES)
    throw new InvalidCookiesError(
      `This file has ${cookies.length} cookies. Export only the cookies of the sites that you download from`,
    );
  return cookies;
}

/** Short addresses of sites, which use the cookies of the long one. */
const SITE_BY_SHORT_HOST: Readonly<Record<string, string>> = {
  'youtu.be': 'youtube.com',
  'youtube-nocookie.com': 'youtube.com',
  'fb.watch': 'facebook.com',
  'x.com': 'twitter.com',
  'dai.ly': 'dailymotion.com',
  'b23.tv': 'bilibili.com',
  'redd.it': 'reddit.com',
  'instagr.am': 'instagram.com',
  'nico.ms': 'nicovideo.jp',
};
function getHosts(host: string): readonly string[] {
  const shortHost = host.toLowerCase().replace(/^(?:www|m|music)\./, '');
  const otherHost = SITE_BY_SHORT_HOST[shortHost] ?? (shortHost === 'twitter.com' ? 'x.com' : undefined);
  return otherHost === undefined ? [shortHost] : [shortHost, otherHost];
}

const isOfSite = (domain: string, host: string): boolean =>
  domain === host || host.endsWith(`.${domain}`) || (host.includes('.') && domain.endsWith(`.${host}`));

/** Returns the part of a cookies.txt for the site of a link; undefined if there is none or all cookies have expired. */
export function selectCookies(cookies: readonly Cookie[], link: URL, nowSeconds: number): string | undefined {
  const hosts = getHosts(link.hostname);
  const matching = cookies.filter(
    ({ domain, expires }) => (expires === 0 || expires > nowSeconds) && hosts.some((host) => isOfSite(domain, host)),
  );
  return matching.length === 0 ? undefined : `${[HEADER, ...matching.map(({ line }) => line)].join('\n')}\n`;
}

/** Lists the sites of the cookies, without subdomains of a site in the list. */
export function listSiteNames(cookies: readonly Cookie[]): readonly string[] {
  const domains = [...new Set(cookies.map(({ domain }) => domain.replace(/^www\./, '')))].toSorted();
  return domains.filter((domain) => !domains.some((other) => domain.endsWith(`.${other}`)));
}

const MAX_LISTED_SITES = 3;

/** Formats a list of sites: 'a.example, b.example and 4 more'. */
export function formatSites(sites: readonly string[]): string {
  return sites.length <= MAX_LISTED_SITES
    ? sites.join(', ')
    : `${sites.slice(0, MAX_LISTED_SITES).join(', ')} and ${sites.length - MAX_LISTED_SITES} more`;
}
