import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const STORED = 0;

/** Reads the files of a zip by path, from its central directory. */
export function readZip(bytes: Uint8Array): ReadonlyMap<string, Buffer> {
  const zip = Buffer.from(bytes);
  const end = zip.lastIndexOf(Buffer.from(new Uint32Array([END_SIGNATURE]).buffer));
  const files = new Map<string, Buffer>();
  let offset = zip.readUInt32LE(end + 16);
  for (let entriesLeft = zip.readUInt16LE(end + 10); entriesLeft > 0; entriesLeft -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => zip.readUInt16LE(offset + field));
    const path = zip.toString('utf8', offset + 46, offset + 46 + (nameLength ?? 0));
    const local = zip.readUInt32LE(offset + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const compressed = zip.subarray(start, start + zip.readUInt32LE(offset + 20));
    files.set(path, zip.readUInt16LE(offset + 10) === STORED ? compressed : inflateRawSync(compressed));
    offset += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}

export function readJsonFromZip(files: ReadonlyMap<string, Buffer>, path: string): unknown {
  return JSON.parse(files.get(path)?.toString('utf8') ?? 'null');
}
