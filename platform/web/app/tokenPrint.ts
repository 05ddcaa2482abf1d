/** A few digits that follow from a token, to tell one from another without storing it. */
export const fingerprintToken = (token: string): string => {
  let sum = 0;
  for (const letter of token) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 4_294_967_291;
  return sum.toString(36);
};
