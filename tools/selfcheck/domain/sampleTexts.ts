export interface SampleText {
  readonly label: string;
  readonly parts: readonly string[];
}

const createRange = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join('');

/** The soft hyphen and the no-break space of Latin-1 look like nothing, so the report would not show them. */
const LATIN_1 = `${createRange(0xa1, 0xac)}${createRange(0xae, 0xff)}`;
const PROSE =
  'Pegboard types this sentence of two hundred characters, with commas, digits (1234567890), “quotation marks”, ' +
  'a dash – and an ellipsis… Each sign should arrive exactly once and in order, without a gap.';
/** Six hundred different characters, more than any keyboard has. */
const MANY = createRange(0x4e00, 0x4e00 + 599);

/** Texts of many scripts, each with a property that some desktop or program has got wrong. */
export const sampleTexts: readonly SampleText[] = [
  { label: 'ASCII', parts: [createRange(0x20, 0x7e)] },
  { label: '200 characters of prose', parts: [PROSE] },
  { label: 'Same characters in a row', parts: ['aa  ooo hooh 1111 ㄱㄱㄱ 👍👍'] },
  { label: 'Lines', parts: ['first line\nsecond line\n\nfourth line'] },
  { label: 'Latin-1', parts: [LATIN_1] },
  { label: 'Single characters', parts: ['#', 'é', 'ä', 'ß', '€', '@', 'Ω', 'я'] },
  { label: 'European', parts: ['Grüße, “naïve” façade, Łódź, Þór, ğışçöü, Ő'] },
  { label: 'Greek and Cyrillic', parts: ['Ξεσκεπάζω την ψυχοφθόρα. Съешь же ещё этих мягких булок. Їжак, љубав'] },
  { label: 'Hebrew and Arabic', parts: ['שלום עולם 123 مرحبا بالعالم، اُردو'] },
  { label: 'Indian and Thai', parts: ['नमस्ते दुनिया, বাংলা, தமிழ், สวัสดีชาวโลก'] },
  { label: 'Chinese, Japanese, Korean', parts: ['你好，世界。こんにちは、カタカナ。안녕하세요'] },
  { label: 'Georgian, Armenian, Ethiopic', parts: ['გამარჯობა, Բարեւ, ሰላም'] },
  { label: 'Combining marks', parts: ['e\u0301 a\u0308 Z\u0351\u036b\u0343 Vie\u0302\u0323t'] },
  { label: 'Emoji', parts: ['👋 👍🏽 👨‍👩‍👧‍👦 🇩🇪 ❤️ 1️⃣'] },
  { label: 'Beyond 16 bits', parts: ['𝑎𝔟𝕔 𠮷 🜁 𐍈'] },
  { label: '600 different characters', parts: [MANY] },
];
