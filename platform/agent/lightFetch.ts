import type { IncomingMessage } from 'node:http';
import type { HttpResponse, ClientOptions } from '#platform/contract/client.ts';

function toHttpResponse(response: IncomingMessage, content: Buffer): HttpResponse {
  const { statusCode: status = 0, headers } = response;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = headers[name];
        return (Array.isArray(value) ? value.join(', ') : value) ?? null;
      },
    },
    json: async () => JSON.parse(content.toString('utf8')) as unknown,
    blob: async () => new Blob([new Uint8Array(content)]),
  };
}

/**
 * Implements the part of `fetch` that the agent's calls need. Node's own `fetch` takes 15 MB of memory for good, and a
 * static import of `node:http` would load it as well, because that module re-exports its WebSocket.
 */
export const lightFetch: NonNullable<ClientOptions['fetch']> = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { request: openRequest } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const content = body === null ? undefined : Buffer.from(body);
    const request = openRequest(url, {
      method,
      headers: { ...headers, ...(content === undefined ? {} : { 'content-length': content.length }) },
      ...(signal === null ? {} : { signal }),
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve(toHttpResponse(response, Buffer.concat(chunks))));
    });
    request.end(content);
  });
