/** Parses lists of words. 'cups?' is 'cup' and 'cups'. */
const parseWords = (...lists: readonly string[]): ReadonlySet<string> =>
  new Set(
    lists
      .join(' ')
      .split(' ')
      .flatMap((word) => (word.endsWith('?') ? [word.slice(0, -2), word.slice(0, -1)] : [word])),
  );

/** Weights, volumes and parts: their number is an amount, not a count. */
const UNITS = parseWords(
  // Metric, with the one-character symbols of some keyboards.
  'mg mcg g gr grs gms? grams? grammes? gramm dag kgs? kilos? kilograms? kilogrammes? kilogramm ㎎ ㎏',
  'mls? cl dl l lt ltrs? litres? liters? litros? litri millilitres? milliliters? ㎖ ㎗ ℓ',
  // Imperial and US.
  'ozs? ounces? lbs? pounds? pts? pints? qts? quarts? gals? gallons? floz',
  'tsps? tspn tbs tbsps? tbls? tblsps? tblspn teaspoons? tablespoons? dessertspoons? dsp cups?',
  // Parts.
  'pinch pinches handfuls? cloves? slices? rashers? sprigs? sticks? stalks? dash dashes drops? knobs? splash splashes scoops? iu',
  // German.
  'pfund pfd esslöffel teelöffel el tl msp messerspitzen? tassen? prisen? zehen? knoblauchzehen? scheiben? zweige? blatt',
  'blätter spritzer schuss handvoll tropfen ie',
  // French, Spanish, Italian and Dutch.
  'càs càc gousses? pincées? tranches? tasses? cucharadas? cucharaditas? tazas? dientes? gramos grammi etto etti cucchiaio',
  'cucchiai cucchiaino cucchiaini spicchio spicchi eetlepels? theelepels? teen tenen teentjes?',
);

/** Containers: their number is a count. */
const CONTAINERS = parseWords(
  'packs packets pkts? pkgs? packages pouches sachets tins cans bottles btls? bags sacks jars boxes cases cartons crates tubs',
  'pots punnets tubes bars blocks bunches bundles loaves rolls reels heads pieces pcs? pairs nets trays wedges fillets tablets',
  'capsules ct',
  // German, including singular forms, as German does not use 'of'.
  'packungen? packung pck päckchen pakete? paket dosen? flaschen? fl gläser glas tüten? beutel bund bd bündel becher kisten?',
  'kasten kästen kartons? schachteln? schachtel schalen? netze? netz säcke stücke? stück stk rollen? tafeln? tafel tuben kopf',
  'köpfe stangen? laibe? laib würfel riegel eimer kanister knollen? töpfe töpfchen',
  // French, Spanish, Italian and Dutch.
  'boîtes? bouteilles? paquets? bottes? briques? barquettes? latas? botellas? paquetes? bolsas? bottiglia bottiglie pacco pacchi',
  'pacchetti barattolo barattoli scatola scatole flessen blikken blikjes pakken zakken potten',
);

/** English containers in the singular: '1 bottle of wine'. */
const SINGULAR_CONTAINERS = parseWords(
  'pack packet package pouch sachet tin can bottle bag sack jar box case carton crate tub pot punnet tube bar block bunch bundle',
  'loaf roll head piece pair net tray wedge fillet',
);

const DOZEN = parseWords('dozens? doz dzn dz dutzend dtzd dtz douzaines? docenas? dozzina dozzine dozijn');

/**
 * Private-use characters that mark the words of an amount. They keep the patterns of amounts small:
 * a pattern that lists every unit takes browsers seconds to compile.
 */
const MARKS = [
  ['\uE000', UNITS],
  ['\uE001', CONTAINERS],
  ['\uE002', SINGULAR_CONTAINERS],
  ['\uE003', DOZEN],
] as const;
const MARK_PATTERN = /[\uE000-\uE003]/gu;
const WORD =
  /(?<!\p{L})(?:fl\.?\s?ozs?|fluid ounces?|cuillères? à (?:soupe|café)|c\.? ?à ?[sc])(?!\p{L})\.?|[\p{L}\p{M}㎎㎏㎖㎗]+\.?/giu;

function getMark(word: string): string | undefined {
  const normalized = word.toLowerCase().replace(/\.$/u, '').normalize('NFC');
  if (/[\s.]/u.test(normalized)) return '\uE000';
  return MARKS.find(([, words]) => words.has(normalized))?.[0];
}

/** Marks units, containers and dozens in a text. */
export function markUnits(text: string): string {
  return text.replaceAll(MARK_PATTERN, '').replaceAll(WORD, (word: string, offset: number, markedText: string) => {
    // A small c after a number is a cup: '3/4 c sugar', but not 'vitamin c'.
    const isCup = word === 'c' && /[\d¼-¾⅐-⅞]\s?$/u.test(markedText.slice(Math.max(0, offset - 2), offset));
    const mark = isCup ? '\uE000' : getMark(word);
    return mark === undefined ? word : `${mark}${word}${mark}`;
  });
}

export function removeMarks(text: string): string {
  return text.replaceAll(MARK_PATTERN, '');
}

/** Patterns for marked words. */
export const MARKED_PATTERNS = {
  unit: String.raw`\uE000[^\uE000]*\uE000`,
  /** Containers with any number. */
  containers: String.raw`\uE001[^\uE001]*\uE001`,
  singularContainer: String.raw`\uE002[^\uE002]*\uE002`,
  dozen: String.raw`\uE003[^\uE003]*\uE003`,
} as const;

/** Whole numbers in words, with their digits. */
const WHOLE_NUMBER_WORDS: readonly (readonly [pattern: RegExp, count: string])[] = [
  [/^(?:one|eine?|einen)\s(?=\S)/iu, '1'],
  [/^(?:two|zwei|a couple(?: of)?|couple of)\s(?=\S)/iu, '2'],
  [/^(?:three|drei)\s(?=\S)/iu, '3'],
  [/^(?:four|vier)\s(?=\S)/iu, '4'],
  [/^(?:five|fünf)\s(?=\S)/iu, '5'],
  [/^(?:six|sechs)\s(?=\S)/iu, '6'],
  [/^(?:seven|sieben)\s(?=\S)/iu, '7'],
  [/^(?:eight|acht)\s(?=\S)/iu, '8'],
  [/^(?:nine|neun)\s(?=\S)/iu, '9'],
  [/^(?:ten|zehn)\s(?=\S)/iu, '10'],
  [/^(?:eleven|elf)\s(?=\S)/iu, '11'],
  [/^(?:twelve|zwölf)\s(?=\S)/iu, '12'],
  [/^(?:twenty|zwanzig)\s(?=\S)/iu, '20'],
];
const FRACTION_WORDS: readonly (readonly [pattern: RegExp, sign: string])[] = [
  // 'half a cucumber' and 'half pint milk', but not 'half fat milk' and 'half and half'.
  [/^(?:half (?:of )?an? |(?:an?|one|1) half (?:of )?(?:an? )?|half (?:of )?(?=[\uE000-\uE003]))/iu, '½'],
  // 'half cucumber', and 'half leg of lamb', but not 'half price' or 'half fat milk'.
  [
    /^half (?=(?!(?:and|half|fat|price|time|term|size|moon|marathon|pounders?|baked|skimmed)(?!\p{L}))\p{L}+(?: of \p{L}+)?$)/iu,
    '½',
  ],
  [/^(?:(?:eine?[nmrs]?|1) )?halbe[nmrs]? (?=\S)/iu, '½'],
  [/^(?:(?:an?|one) )?quarter (?:of )?(?:an? |(?=[\uE000-\uE003]))/iu, '¼'],
  [/^ein viertel (?=\S)/iu, '¼'],
  [/^(?:three quarters (?:of )?(?:an? )?|drei viertel )(?=\S)/iu, '¾'],
  [/^(?:anderthalb|eineinhalb|one and a half) (?=\S)/iu, '1½'],
  [/^(?:zweieinhalb|two and a half) (?=\S)/iu, '2½'],
  [/^(?:an?|une?|una) (?=[\uE000-\uE003])/iu, '1'],
];

/** Replaces a number word at the start of a marked text by digits; undefined if there is none. */
export function replaceNumberWords(text: string): string | undefined {
  const numberWord = [...FRACTION_WORDS, ...WHOLE_NUMBER_WORDS].find(([pattern]) => pattern.test(text));
  if (numberWord) return `${numberWord[1]} ${text.replace(numberWord[0], '')}`;
  const half = /^(\d{1,2}) and a half (?=\S)/iu.exec(text);
  return half ? `${half[1]}½ ${text.slice(half[0].length)}` : undefined;
}
