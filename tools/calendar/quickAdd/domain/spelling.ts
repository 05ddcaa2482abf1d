/** Words that are often misspelt. */
const MISSPELT_WORDS = [
  ...['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].flatMap((day) => [day, `${day}s`]),
  ...'january february august september october november december'.split(' '),
  ...'tomorrow tonight weekend weekday weekdays fortnight'.split(' '),
];

/** Returns a word with one inner letter omitted, doubled or swapped. None of the results is a word of its own. */
const listMisspellings = (word: string): readonly string[] =>
  Array.from({ length: word.length - 2 }, (_, index) => {
    const at = index + 1;
    const [before, letter, next, after] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
    return [before + next + after, before + letter + letter + next + after, before + next + letter + after];
  }).flat();

/** Other spellings and short forms. */
const SPELLINGS_BY_WORD = {
  tomorrow: 'tommorow tomorro tomoro tommoro tomoz tmrw tmrow tmoro tmr tmw 2moro 2morrow',
  today: '2day',
  tonight: 'tonite 2nite 2night tnite',
  weekend: 'wknd wkd wkend w/end',
  monday: 'mondai',
  wednesday: 'wensday wendsday wedsday weds wenesday wensaday',
  thursday: 'thirsday thersday',
  friday: 'fryday',
  saturday: 'saterday satarday satday',
  january: 'janurary janaury',
  february: 'febuary febrary',
  every: 'evry evrey eveyr',
  night: 'nite',
  between: 'btw btwn b/w',
  'every other': 'everyother',
  'tue thu': 'tth t/th tu/th tuth',
  'mon wed fri': 'mwf m/w/f',
  'mon tue wed thu fri': 'mtwtf mtwthf',
  'end of day': 'eod eob',
  'close of business': 'cob',
  'end of week': 'eow',
  'end of month': 'eom',
  'end of quarter': 'eoq',
  'end of year': 'eoy',
};

const CORRECTIONS: ReadonlyMap<string, string> = new Map([
  ...MISSPELT_WORDS.flatMap((word) => listMisspellings(word).map((slip) => [slip, word] as const)),
  ...Object.entries(SPELLINGS_BY_WORD).flatMap(([meant, variants]) =>
    variants.split(' ').map((word) => [word, meant] as const),
  ),
  ...MISSPELT_WORDS.map((word) => [word, word] as const),
]);

const SHORT_EVERY = /every!|ev(?= (?:\d|other|day|week|month|year|mon|tue|wed|thu|fri|sat|sun))/u;
const PLAIN_TIME = /(?<![\d.:,])(?:1[0-2]|0?[1-9])[0-5]\d ?[ap]\.?m(?!\p{L})/u;
const STAMP = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::00)?(?![\p{L}\p{N}])/u;
const QUOTED = /"[^"]*"|“[^”]*”/u;
const TOKEN = new RegExp(
  [QUOTED, STAMP, PLAIN_TIME, SHORT_EVERY, /[\p{L}\p{N}]+(?:\/\p{L}+)*/u].map(({ source }) => source).join('|'),
  'giu',
);

/** Whether 'ev' means an electric car: 'the ev', 'charge ev', 'EV'. */
const isCar = (token: string, before: string): boolean =>
  token === 'EV' || /(?<!\p{L})(?:the|my|our|your|an?|new|charge|drive|park|service|wash|rent) $/iu.test(before);

function correctToken(token: string, before: string): string {
  const lowerCase = token.toLowerCase();
  const word = CORRECTIONS.get(lowerCase);
  if (word !== undefined) return word === lowerCase ? token : word;
  if (lowerCase === 'every!') return 'every';
  if (lowerCase === 'ev') return isCar(token, before) ? token : 'every';
  if (/^\d{3,4} ?[ap]/iu.test(token)) return token.replace(/(?=\d\d ?[ap])/iu, ':');
  return /^\d{4}-.*T\d/u.test(token) ? token.replace('T', ' ').replace(/(?<=:\d\d):00$/u, '') : token;
}

/** The corrected line that readers see. The name of the event comes from the typed text. */
export interface SpelledLine {
  readonly line: string;
  readonly typed: string;
  /** Converts a position in the line to one in the typed text. */
  readonly toTypedPosition: (at: number) => number;
}

/** Corrects typing mistakes and expands short forms. */
export function expandSpelling(typed: string): SpelledLine {
  let line = '';
  const origins: number[] = [];
  function append(text: string, getOrigin: (at: number) => number): void {
    for (let at = 0; at < text.length; at += 1) origins.push(getOrigin(at));
    line += text;
  }
  let position = 0;
  for (const { 0: token, index } of typed.matchAll(TOKEN)) {
    const from = position;
    append(typed.slice(from, index), (at) => from + at);
    const corrected = correctToken(token, typed.slice(Math.max(0, index - 10), index));
    append(corrected, corrected === token ? (at) => index + at : () => index);
    position = index + token.length;
  }
  append(typed.slice(position), (at) => position + at);
  return { line, typed, toTypedPosition: (at) => origins[at] ?? typed.length };
}
