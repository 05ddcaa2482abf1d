import { globSync, readFileSync } from 'node:fs';
import { type ESTree, Visitor, parseSync } from 'vite';
import { expect, test } from 'vitest';

/** A banned pattern, and what to use instead (docs/glossary.md). */
type Rule = readonly [pattern: RegExp, better: string];

const IDENTIFIERS: readonly Rule[] = [
  [/^(MOST|LEAST|LONGEST|SHORTEST|LARGEST|SMALLEST|GREATEST)(_|$)/, 'MAX_<NOUN>_<UNIT>, MIN_<NOUN>_<UNIT>'],
  [/_AT_(MOST|LEAST)$|[a-z]AtMost$|^atMost$/, 'MAX_…, MIN_…, maxConcurrent'],
  [/(^|_)PATIENCE(_|$)|^patience(Ms)?$|[a-z]Patience(Ms)?$/, '<NOUN>_TIMEOUT_MS, timeoutMs'],
  [/(^|_)AT_ONCE(_|$)|[a-z]AtOnce$|^atOnce$/, 'MAX_CONCURRENT_<NOUNS>, <NOUN>_BATCH_SIZE, <NOUNS>_PER_FRAME'],
  [/^AN?_[A-Z]+$|[A-Z]_OF_AN?_[A-Z]+$|_AN_(HOUR|ACCOUNT)$|_A_SECOND$/, '…_PER_<NOUN>'],
  [
    /(^|_)(KEPT|KEEPS?|HELD|TOLD|SAID|ASKED|REMEMBERED|ANEW|STRANGER|AGAIN|LASTS|STANDS|WISH)(_|$)/,
    '…_RETENTION_MS, …_CACHE_SIZE, …_TTL_MS, RETRY_DELAY_MS, UNAUTHENTICATED_…',
  ],
  [/_(EVERY|ROUND)_MS$|^LOOK_/, '<NOUN>_INTERVAL_MS'],
  [
    /^(Asked|Told|Held|Kept|Wanted|Made|Given|Known|Shown|Said|Found|Seen|Taken|Sent|Written|Drawn|Gone|Left|Placed|Listed|Named|Heard|Spoken|Sought|Standing|Finished|Lowered|Lying|Carried)$/,
    'a noun that says what it is: HistoryQuery, SentEvent, CachedSession',
  ],
  [
    /^(Parts|House|Place|Piece|Stretch|Sight|Acts?|News|Words?|Own|When|How|Whole|Why|Turns?|Overtaken|NotBegun)$/,
    'a noun with its subject',
  ],
  [/Ground|^ground$/, 'ServerContext, AgentContext, <Thing>Deps'],
  [/^(Server|Agent|Dialect|Proxy|Sync|Lists|Sorting|Media|Subsonic|Browser|Plain)Parts$/, '<Thing>Deps, Started…'],
  [/(^|[a-z])(Wish|Wishes|Deed|Deeds)$|^(wish|wishes|deed|deeds)$/, 'request, command, options'],
  [/^make[A-Z]/, 'create<Noun>, generate<Noun>'],
  [/^(un)?(asked|told|held|kept|said|wanted)$/, 'request, query, event, cached, stored, message, selected'],
  [/^(tell|tellAll|hear|hearers)$|^(tell|hear)[A-Z]/, 'notify, publish, on<Event>, listeners'],
  [/[a-z](Told|Held|Kept|Asked|Anew)$|^Kept[A-Z]/, 'a state: isStored, isPending, isRequested'],
  [/^mend(s|ed|ing)?$/, 'repair'],
  [/^(whoever|nobody|anew|strangers?)$|Stranger$/, 'visitor, unauthenticated, none, again'],
  [/[A-Za-z]_$/, 'a name without the underscore'],
  [/^callOff|CallOff/, 'cancel'],
  [/^inTurn$|InTurn$/, 'createSerialQueue, runInOrder'],
  [/^(carry|revive|discreet|lapse)$/, 'serializeError, deserializeError, redactErrors, timeoutError'],
  [
    /^(?!(any|one|isOne|as|instance|changedDay)Of$)[a-z]\w*[a-z]Of$/,
    'get<Noun>, find<Noun>, list<Nouns>, to<Noun>, <value>By<Key>',
  ],
  [/^of(Account|All|Device|Persons?)$/, 'listByAccount, listAll'],
  [
    /^(bringBack|giveBack|letGo|goesOn|doings?|sought|stretch|trouble|begun)$|[a-z](Doings|Stretch)$/,
    'restore, release, isOngoing, activities, interval, problem, isStarted',
  ],
  [
    /^(Tell|TheDay|NewOne|Troubles?|Undoable|Enough|Circumstances|Surroundings|Door|Ways?|AskedAt|AsOf)$/,
    'a noun that says what it is',
  ],
];

/** Classes of style sheets say what they style. */
const CLASSES: readonly Rule[] = [
  [
    /^(un)?(asked|told|held|kept|said|wanted|made|gone|lost|seen|named|carried|counted|drawn|lying|standing)$/,
    'what it shows: message, status, problem',
  ],
  [/^(ask|keep|lay|lose|make|tell|wish|try|go)$/, 'form, confirmation, start'],
  [/^(what|who|where|how|why|about|words?)$/, 'details, username, location, instructions, reason'],
  [/^(parts?|whole|place|none|nothing|both|many|all|own|acts|troubles?|wrong|bad|hindrance|ways?|turns?)$/, 'a noun'],
];

/** Words to avoid in comments, test names and documents. */
const WORDS: readonly Rule[] = [
  [/\b(stand|stands|stood)\b(?! (for|by))/gi, 'is, are, appear, show'],
  [/\bwish(es|ed)?\b/gi, 'option, request'],
  [/\bdeeds?\b/gi, 'command'],
  [/\bpatience\b/gi, 'timeout'],
  [/\banew\b/gi, 'again'],
  [/\bwhoever\b/gi, 'the caller, anyone who'],
  [/\bshall\b/gi, 'must, will'],
  [/(?<!\bthere )\b(is|are) none\b/gi, 'is not a …, has no …'],
  [/\b(lay(?! out\b)|lies)\b/gi, 'is stored in, is in'],
  [/\bmend(s|ed|ing)?\b/gi, 'repair'],
  [/\bstrangers?\b/gi, 'visitor, unauthenticated client'],
  [/\bfor ever\b/gi, 'forever, indefinitely'],
  [/\bthe (ground|house)\b/gi, 'the platform, the HTTP server'],
  [/\bhence\b|\blikewise\b|\bhither\b|\bthereof\b|\bwhereof\b/gi, 'so, also'],
  [/\b(is|are) to (be|have|hold)\b/gi, 'must be, will be'],
  [/\bby itself\b/gi, 'automatically, alone, separately'],
  [/\blets? go\b/gi, 'release'],
  [/\b(at|in) one go\b/gi, 'in one query, in one batch'],
  [/\bdoings\b/gi, 'activities'],
  [/\b(bring|give)s? back\b/gi, 'restore, return'],
  [/\b(sought|whence|thence|lest)\b/gi, 'searched, from which, so that … not'],
  [/\b(in vain|once more)\b/gi, 'without success, again'],
  [/\bcarr(y|ies|ied) out\b/gi, 'run, apply'],
];
/** Words to avoid in comments and test names. In the prose of documents they are usual. */
const CODE_WORDS: readonly Rule[] = [
  ...WORDS,
  [/\b(told|tells?)\b(?!.* from\b)/gi, 'notify, report, describe'],
  [/\bsaid\b/gi, 'reported, answered'],
  [/\basked\b/gi, 'requested'],
  [/\bheld\b/gi, 'cached, locked; held only of keys and buttons'],
  [/\bkept\b/gi, 'stored, saved, cached'],
  [/\bnobody\b/gi, 'no user, no device, visitor'],
  [/\bof (which|whom) /gi, 'whose, that'],
];

/** What is allowed although a rule names it: word, files and reason. */
const ALLOWED: readonly (readonly [word: RegExp, files: RegExp, reason: string])[] = [
  [/^BACKUP_KEEP$/, /^apps\/server\//, 'the name of the setting'],
  [/held$/i, /^(platform\/agent|tools\/(remote|mixer))\/|Keys|docs\/specification/, 'keys and buttons are held'],
  [/^Left$/, /keyNames|keyAliases|keyboardLayout|keyCodes|keysyms|virtualKeys|KeysPanel|TouchpadPage/, 'name of a key'],
  [/^kept$/, /^tools\/remote\//, 'field of the contract'],
  [/^KEEPS$/, /^(tools\/paste\/contract|testing\/bench\/paste)\.ts$/, 'values of the field `keep`'],
  [/^mend$/, /^apps\/server\/|^docs\//, 'option of `npm run pegboard -- doctor data`'],
  [/^said$/, /^apps\/server\//, 'field of the socket of `npm run pegboard`'],
  [/^isKept$/, /offline/i, 'field of a message of the service worker'],
  [/^makeCache$/, /discord\/discord\.ts$/, 'option of the library'],
  [/^LOOK_ALIKES$/, /deviceHandlers/, 'characters that look alike'],
  [/^A_WEEKDAY$/, /datePhrases/, 'pattern of a weekday'],
];
const MAX_COMMENT_WIDTH = 120;
/** Lists the banned words itself. */
const OWN = ['testing/language.test.ts', 'docs/glossary.md'];

const SOURCES = globSync('{apps,platform,tools,testing,scripts}/**/*.{ts,tsx}', {
  exclude: ['apps/*/dist/**', '**/*.d.ts', ...OWN],
});
const STYLE_SHEETS = globSync('{apps,platform,tools}/**/*.module.css', { exclude: ['apps/*/dist/**'] });
const DOCUMENTS = globSync('{README,CONTRIBUTING,SECURITY,docs/**/*}.md', { exclude: OWN });

interface Finding {
  readonly path: string;
  readonly line: number;
  readonly problem: string;
}

const joinPatterns = (rules: readonly Rule[], flags: string): RegExp =>
  new RegExp(rules.map(([pattern]) => `(?:${pattern.source})`).join('|'), flags);
const ANY_IDENTIFIER = joinPatterns(IDENTIFIERS, '');
const ANY_WORD = joinPatterns(CODE_WORDS, 'i');
const COMMENT_LINE = /^\s*(?:\/\/|\/?\*|\{\/\*)/;

const isAllowed = (word: string, path: string): boolean =>
  ALLOWED.some(([pattern, files]) => pattern.test(word) && files.test(path));

const countLines = (text: string, end: number): number => text.slice(0, end).split('\n').length;

const findWords = (text: string, path: string, firstLine: number, rules = CODE_WORDS): readonly Finding[] =>
  ANY_WORD.test(text)
    ? text
        .split('\n')
        .flatMap((line, index) =>
          rules.flatMap(([pattern, better]) =>
            [...line.matchAll(pattern)]
              .filter(([word]) => !isAllowed(word, path))
              .map(([word]) => ({ path, line: firstLine + index, problem: `"${word}" → ${better}` })),
          ),
        )
    : [];

/** Lists the names that a program declares: types, functions, variables, parameters and members. */
function listDeclared(program: ESTree.Program): readonly ESTree.Node[] {
  const names: ESTree.Node[] = [];
  function addPattern(node: ESTree.Node | null): void {
    if (node === null) return;
    if (node.type === 'Identifier') names.push(node);
    else if (node.type === 'AssignmentPattern') addPattern(node.left);
    else if (node.type === 'RestElement') addPattern(node.argument);
    else if (node.type === 'ArrayPattern') for (const element of node.elements) addPattern(element);
    else if (node.type === 'ObjectPattern')
      for (const property of node.properties)
        addPattern(property.type === 'RestElement' ? property.argument : property.value);
  }
  function addFunction(node: ESTree.Function | ESTree.ArrowFunctionExpression): void {
    if (node.id) addPattern(node.id);
    for (const parameter of node.params)
      addPattern(parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter);
  }
  function addKey(node: { readonly key: ESTree.Node; readonly computed: boolean }): void {
    if (!node.computed) addPattern(node.key);
  }
  new Visitor({
    VariableDeclarator: ({ id }) => addPattern(id),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    ClassDeclaration: ({ id }) => addPattern(id),
    TSInterfaceDeclaration: ({ id }) => addPattern(id),
    TSTypeAliasDeclaration: ({ id }) => addPattern(id),
    TSPropertySignature: addKey,
    TSMethodSignature: addKey,
    PropertyDefinition: addKey,
    MethodDefinition: addKey,
    Property: (node) => {
      if (!node.shorthand) addKey(node);
    },
    ImportSpecifier: ({ imported, local }) => {
      if (imported.start !== local.start) addPattern(local);
    },
    CatchClause: ({ param }) => addPattern(param),
  }).visit(program);
  return names;
}

const findIdentifiers = (program: ESTree.Program, text: string, path: string): readonly Finding[] =>
  listDeclared(program).flatMap(({ start, end }) => {
    const name = /^[\w$]+/.exec(text.slice(start, end))?.[0] ?? '';
    const rule = ANY_IDENTIFIER.test(name) && IDENTIFIERS.find(([pattern]) => pattern.test(name));
    return rule && !isAllowed(name, path)
      ? [{ path, line: countLines(text, start), problem: `\`${name}\` → ${rule[1]}` }]
      : [];
  });

function findTestNames(program: ESTree.Program, text: string, path: string): readonly Finding[] {
  const findings: Finding[] = [];
  new Visitor({
    CallExpression: ({ callee, arguments: [name] }) => {
      if (
        name &&
        /^(?:test|it|describe|testOnBothDatabases)\b/.test(text.slice(callee.start, callee.end)) &&
        name.type.endsWith('Literal')
      )
        findings.push(...findWords(text.slice(name.start, name.end), path, countLines(text, name.start)));
    },
  }).visit(program);
  return findings;
}

function findInSource(path: string): readonly Finding[] {
  const text = readFileSync(path, 'utf8');
  // A directive of the linter can't be wrapped.
  const longComments = text
    .split('\n')
    .flatMap((line, index) =>
      line.length > MAX_COMMENT_WIDTH && COMMENT_LINE.test(line) && !line.includes('oxlint-disable')
        ? [{ path, line: index + 1, problem: `comment of ${line.length} characters → ${MAX_COMMENT_WIDTH}` }]
        : [],
    );
  const hasIdentifier = [...new Set(text.match(/[\w$]+/g))].some((name) => ANY_IDENTIFIER.test(name));
  const hasWord = ANY_WORD.test(text);
  // Only few sources need to be parsed, and this takes most of the time.
  if (!hasIdentifier && !hasWord) return longComments;
  const { comments, program } = parseSync(path, text);
  return [
    ...longComments,
    ...comments.flatMap(({ value, start }) => findWords(value, path, countLines(text, start))),
    ...(hasIdentifier ? findIdentifiers(program, text, path) : []),
    ...(hasWord && /\.(?:test|e2e|desktop)\.tsx?$/.test(path) ? findTestNames(program, text, path) : []),
  ];
}

function findInStyleSheet(path: string): readonly Finding[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/\.([a-z]\w*)/gi)].flatMap(({ 1: name = '', index }) => {
    const rule = CLASSES.find(([pattern]) => pattern.test(name));
    return rule ? [{ path, line: countLines(text, index), problem: `.${name} → ${rule[1]}` }] : [];
  });
}

/** Code, tables of other words and quotations are not prose of ours. */
const findInDocument = (path: string): readonly Finding[] =>
  findWords(
    readFileSync(path, 'utf8').replaceAll(/```.*?```|`[^`\n]*`|'[^'\n]*'|\]\([^)\n]*\)/gs, (code) =>
      code.replaceAll(/[^\n]/g, ' '),
    ),
    path,
    1,
    WORDS,
  );

test('names, comments, test names and documents use the words of the glossary', () => {
  const findings = [
    ...SOURCES.flatMap(findInSource),
    ...STYLE_SHEETS.flatMap(findInStyleSheet),
    ...DOCUMENTS.flatMap(findInDocument),
  ];
  expect(findings.map(({ path, line, problem }) => `${path}:${line} ${problem}`)).toEqual([]);
});
