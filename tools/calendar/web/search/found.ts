import { fold } from '#platform/contract/fold.ts';

/** A piece of a text. `isFound` if it matches. */
export interface TextPiece {
  readonly text: string;
  readonly isFound: boolean;
}

/** Marks the words of `term` in a text, ignoring case and accents like the search itself. */
export function markFound(text: string, term: string): readonly TextPiece[] {
  // Folding may turn one character into several (ß) or none (an accent), so each folded one stores its origin.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const letter of text) {
    const plain = fold(letter);
    folded += plain;
    for (let each = 0; each < plain.length; each += 1) origins.push(at);
    at += letter.length;
  }
  origins.push(text.length);
  const isMarked = new Uint8Array(text.length);
  for (const word of fold(term).split(/\s+/).filter(Boolean)) {
    for (let from = folded.indexOf(word); from !== -1; from = folded.indexOf(word, from + 1)) {
      const [start = 0, last = 0] = [origins[from], origins[from + word.length - 1]];
      const behind = origins.find((origin, index) => index > from + word.length - 1 && origin > last) ?? text.length;
      isMarked.fill(1, start, behind);
    }
  }
  const pieces: TextPiece[] = [];
  let start = 0;
  for (let end = 1; end <= text.length; end += 1) {
    if (end < text.length && isMarked[end] === isMarked[start]) continue;
    pieces.push({ text: text.slice(start, end), isFound: isMarked[start] === 1 });
    start = end;
  }
  return pieces;
}
