import type { IncomingMessage } from 'node:http';
import type { HttpResponse, ClientOptions } from '#platform/contract/client.ts';

const toHttpResponse = (response: IncomingMessage, content: Buffer): HttpResponse => {
  const { statusCode: status = 0, headers } = response;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const found = headers[name];
        return (Array.isArray(found) ? found.join(', ') : found) ?? null;
      },
    },
    json: async () => JSON.parse(content.toString('utf8')) as unknown,
    blob: async () => new Blob([new Uint8Array(content)]),
  };
};

/**
 * As much of `fetch` as an agent's calls need: Node's own takes 15 MB of memory as long as the agent runs. To import `node:http` by its name
 * would load that too, as it hands on its WebSocket.
 */
export const lightFetch: NonNullable<ClientOptions['fetch']> = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { request: ask } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const content = body === null ? undefined : Buffer.from(body);
    const asked = ask(url, {
      method,
      headers: { ...headers, ...(content === undefined ? {} : { 'content-length': content.length }) },
      ...(signal === null ? {} : { signal }),
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve(toHttpResponse(response, Buffer.concat(chunks))));
    });
    asked.end(content);
  });
