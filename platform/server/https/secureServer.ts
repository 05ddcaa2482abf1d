import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { sendBrokenRequestError } from '../http/errorResponses.ts';

/** A private key and its certificate, both as PEM. */
export interface KeyCertificatePair {
  readonly key: string;
  readonly certificate: string;
}

/** Timeouts for slow clients, as for the plain listener. */
interface ConnectionTimeouts {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly connectionTimeout: number;
  readonly maxHeaderSize: number;
}

function handleClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  // No one can read a response after a failed handshake.
  if (error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS')) socket.destroy();
  else sendBrokenRequestError(error, socket);
}

/** Creates a TLS server that passes calls and sockets to `http`, which must be ready before this one listens. */
export function createSecureServer(
  http: FastifyInstance,
  { key, certificate }: KeyCertificatePair,
  { connectionTimeout, ...timeouts }: ConnectionTimeouts,
): Server {
  const server = createServer(
    { key, cert: certificate, minVersion: 'TLSv1.2', handshakeTimeout: timeouts.headersTimeout, ...timeouts },
    (request, response) => http.routing(request, response),
  );
  server.setTimeout(connectionTimeout);
  server.maxConnections = http.server.maxConnections;
  server.on('clientError', handleClientError);
  // The plain server owns all sockets, with their rooms and limits.
  server.on('upgrade', (request, socket, head) => void http.server.emit('upgrade', request, socket, head));
  return server;
}
