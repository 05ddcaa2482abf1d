import { parseXml, XmlElement, XmlText } from '@rgrove/parse-xml';

// Reads XML of WebDAV strictly and within limits, with namespaces. Writes it as text with escaping.

/** Namespaces of the protocol, and the prefixes that we write. */
const NAMESPACES = {
  d: 'DAV:',
  c: 'urn:ietf:params:xml:ns:caldav',
  cs: 'http://calendarserver.org/ns/',
  ical: 'http://apple.com/ns/ical/',
} as const;
export type Prefix = keyof typeof NAMESPACES;

const MAX_DEPTH = 24;
const MAX_ELEMENTS = 60_000;

/** The body is no XML that this server accepts. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** An element with resolved names: `name` is `d:prop` for the namespaces above, `{namespace}local` for others. */
export interface Element {
  readonly name: string;
  readonly namespace: string;
  readonly local: string;
  /** Attributes without a namespace. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  /** All text directly in it, unchanged. */
  readonly text: string;
}

const TAG_REST_PATTERN = /[^"'<>]*(?:"[^"<]*"[^"'<>]*|'[^'<]*'[^"'<>]*)*>/y;
const SKIPPED_MARKUP = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Returns the end of markup that is no tag; undefined for a tag. @throws XmlError if it never ends, and for a DTD */
function findMarkupEnd(text: string, position: number): number | undefined {
  for (const [start, end] of SKIPPED_MARKUP) {
    if (!text.startsWith(start, position)) continue;
    const index = text.indexOf(end, position + start.length);
    if (index < 0) throw new XmlError('is not closed');
    return index + end.length;
  }
  if (text[position + 1] === '!') throw new XmlError('document types are not allowed');
  return undefined;
}

/** Checks depth and size before parsing, because the parser has no limits. Takes linear time. */
function validateLimits(text: string): void {
  let depth = 0;
  let elements = 0;
  for (let position = text.indexOf('<'); position >= 0; position = text.indexOf('<', position)) {
    const markupEnd = findMarkupEnd(text, position);
    if (markupEnd !== undefined) {
      position = markupEnd;
      continue;
    }
    TAG_REST_PATTERN.lastIndex = position + 1;
    if (!TAG_REST_PATTERN.test(text)) throw new XmlError('a tag is not closed');
    const isEnd = text[position + 1] === '/';
    position = TAG_REST_PATTERN.lastIndex;
    if (isEnd) depth -= 1;
    else if (text[position - 2] !== '/') depth += 1;
    if (!isEnd) elements += 1;
    if (depth > MAX_DEPTH) throw new XmlError('is nested too deeply');
    if (elements > MAX_ELEMENTS) throw new XmlError('too many elements');
  }
}

type Scope = Readonly<Record<string, string>>;

function createScope(outer: Scope, attributes: Readonly<Record<string, string>>): Scope {
  const declared = Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (declared.length === 0) return outer;
  const inner: Record<string, string> = Object.assign(Object.create(null), outer);
  for (const [name, value] of declared) {
    if (name !== 'xmlns' && value === '') throw new XmlError('a prefix without a namespace');
    inner[name === 'xmlns' ? '' : name.slice(6)] = value;
  }
  return inner;
}

const prefixByNamespace = new Map<string, Prefix>(
  Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix as Prefix]),
);

function resolveName(scope: Scope, name: string): Pick<Element, 'name' | 'namespace' | 'local'> {
  const colon = name.indexOf(':');
  const [prefix, local] = colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
  const namespace = scope[prefix] ?? (prefix === '' ? '' : undefined);
  if (namespace === undefined || local === '' || local.includes(':'))
    throw new XmlError('a prefix that is not declared');
  const knownPrefix = prefixByNamespace.get(namespace);
  return { name: knownPrefix === undefined ? `{${namespace}}${local}` : `${knownPrefix}:${local}`, namespace, local };
}

function toElement(element: XmlElement, outer: Scope): Element {
  const scope = createScope(outer, element.attributes);
  const children: Element[] = [];
  let text = '';
  for (const node of element.children) {
    if (node instanceof XmlElement) children.push(toElement(node, scope));
    else if (node instanceof XmlText) text += node.text;
  }
  const attributes = Object.fromEntries(Object.entries(element.attributes).filter(([name]) => !name.includes(':')));
  return { ...resolveName(scope, element.name), attributes, children, text };
}

/** Whether a body with this content type is UTF-8 or US-ASCII, which is a subset. */
export function isUtf8(contentType: string): boolean {
  const charset = /charset\s*=\s*"?([\w-]+)"?/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  return ['utf-8', 'utf8', 'us-ascii'].includes(charset);
}

/** Decodes a body. @throws XmlError if it is not UTF-8 */
function decodeBody(body: Uint8Array, contentType: string): string {
  if (!isUtf8(contentType)) throw new XmlError('must be UTF-8');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (error) {
    throw new XmlError('is not UTF-8', { cause: error });
  }
}

/** Parses a document. @throws XmlError if it is malformed, has a document type, or exceeds a limit */
export function parseXmlDocument(body: Uint8Array, contentType = ''): Element {
  // The parser's own normalization of line ends takes quadratic time.
  const text = decodeBody(body, contentType)
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n');
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]?.toLowerCase();
  if (declared !== undefined && !['utf-8', 'us-ascii'].includes(declared)) throw new XmlError('must be UTF-8');
  validateLimits(text);
  try {
    const { root } = parseXml(text);
    if (root === null) throw new XmlError('empty');
    return toElement(root, Object.assign(Object.create(null), { xml: 'http://www.w3.org/XML/1998/namespace' }));
  } catch (error) {
    if (error instanceof XmlError) throw error;
    throw new XmlError('malformed', { cause: error });
  }
}

/** Returns the first child of that name. */
export function findChild(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name);
}

// Writing --------------------------------------------------------------------------------------------

/** XML that is already escaped. */
export type Xml = string & { readonly __xml?: never };

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};
/** Characters that XML 1.0 can't contain, even escaped. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNWRITABLE_PATTERN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu;

export function escapeXml(text: string): Xml {
  return text
    .replaceAll(UNWRITABLE_PATTERN, '\uFFFD')
    .replaceAll(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character);
}

/** Formats an element; an empty one without content. */
export function tag(name: `${Prefix}:${string}`, ...content: readonly Xml[]): Xml {
  const inner = content.join('');
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
}

/** Formats an empty element of any namespace, for requested properties that don't exist. */
export function emptyTag({ name, namespace, local }: Pick<Element, 'name' | 'namespace' | 'local'>): Xml {
  return name.startsWith('{') ? `<${local} xmlns="${escapeXml(namespace)}"/>` : `<${name}/>`;
}

const NAMESPACE_DECLARATIONS = Object.entries(NAMESPACES)
  .map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`)
  .join('');

const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';
/** Returns the start and end tag of a root element. */
export function createRoot(name: `${Prefix}:${string}`): readonly [open: Xml, close: Xml] {
  return [`${XML_DECLARATION}<${name}${NAMESPACE_DECLARATIONS}>`, `</${name}>\n`];
}
