// The simplest programs that store and return a text: node:http and a Map, or one file each (`STORE=files`).
import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const folder = process.env['DATA_DIR'] ?? '';
const texts = new Map<string, string>();
const memoryStore = {
  store: async (code: string, text: string) => void texts.set(code, text),
  load: async (code: string) => texts.get(code) ?? '',
};
const fileStore = {
  store: async (code: string, text: string) => {
    await using file = await open(join(folder, code), 'w');
    await file.writeFile(text);
    await file.sync();
  },
  load: (code: string) => readFile(join(folder, code), 'utf8'),
};
const { store, load } = process.env['STORE'] === 'files' ? fileStore : memoryStore;

async function handleRequest(body: string): Promise<object> {
  const { style, inputValue } = JSON.parse(body) as { readonly style?: string; readonly inputValue: string };
  if (style !== undefined) return { message: 'ok', clipmessage: await load(inputValue) };
  const code = randomBytes(6).toString('hex');
  await store(code, inputValue);
  return { message: 'ok', code };
}

createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('up');
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    void handleRequest(Buffer.concat(parts).toString()).then((result) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(result)),
    );
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
