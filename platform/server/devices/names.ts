/** Longest name of a device, in Unicode code points. */
export const NAME_LIMIT = 40;

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

export const isSameName = (one: string, other: string): boolean => fold(one) === fold(other);

const cut = (name: string, length: number): string => Array.from(name).slice(0, length).join('').trimEnd();

/** The name, or where it is taken the name with the first free number behind it: 'media box 2'. */
export const unusedName = (wanted: string, taken: readonly string[]): string => {
  const used = new Set(taken.map(fold));
  let name = cut(wanted, NAME_LIMIT);
  for (let number = 2; used.has(fold(name)); number += 1)
    name = `${cut(wanted, NAME_LIMIT - String(number).length - 1)} ${number}`;
  return name;
};
