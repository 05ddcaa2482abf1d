/** Longest name of a device, in Unicode code points. */
export const MAX_DEVICE_NAME_LENGTH = 40;

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

export const isSameName = (one: string, other: string): boolean => fold(one) === fold(other);

const cut = (name: string, length: number): string => Array.from(name).slice(0, length).join('').trimEnd();

/** The name, or where it is taken the name with the first free number behind it: 'media box 2'. */
export const findUnusedName = (wanted: string, taken: readonly string[]): string => {
  const used = new Set(taken.map(fold));
  let name = cut(wanted, MAX_DEVICE_NAME_LENGTH);
  for (let number = 2; used.has(fold(name)); number += 1)
    name = `${cut(wanted, MAX_DEVICE_NAME_LENGTH - String(number).length - 1)} ${number}`;
  return name;
};
