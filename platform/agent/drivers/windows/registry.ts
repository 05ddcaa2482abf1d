import { decodeWideText, encodeWideText, openAdvapi32 } from './libraries.ts';

const CURRENT_USER = 0xffff_ffff_8000_0001n;
const TEXT_VALUE = 1;
const ONLY_TEXT = 2;
const NOT_FOUND = 2;
const MAX_VALUE_BYTES = 64 * 1024;

function requireSuccess(code: number): void {
  if (code !== 0) throw new Error(`Windows refused access to the registry (code ${code})`);
}

/** Sets a text of the user in the registry. */
export function setUserValue(key: string, name: string, value: string): void {
  const data = encodeWideText(value);
  const { RegSetKeyValueW } = openAdvapi32();
  requireSuccess(
    RegSetKeyValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name), TEXT_VALUE, data, data.length),
  );
}

/** Reads a text of the user from the registry; undefined if there is none. */
export function getUserValue(key: string, name: string): string | undefined {
  const data = Buffer.alloc(MAX_VALUE_BYTES);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  const { RegGetValueW } = openAdvapi32();
  const code = RegGetValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name), ONLY_TEXT, null, data, size);
  if (code === NOT_FOUND) return undefined;
  requireSuccess(code);
  return decodeWideText(data.subarray(0, size.readUInt32LE(0)));
}

/** Removes a value of the user from the registry, if it exists. */
export function removeUserValue(key: string, name: string): void {
  const code = openAdvapi32().RegDeleteKeyValueW(CURRENT_USER, encodeWideText(key), encodeWideText(name));
  if (code !== NOT_FOUND) requireSuccess(code);
}
