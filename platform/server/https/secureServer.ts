import { createServer, type Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { sendBrokenRequestError } from '../http/errorResponses.ts';

/** Both as PEM. */
export interface KeyCertificatePair {
  readonly key: string;
  readonly certificate: string;
}

/** How long slow clients are borne with, as for the plain listener. */
interface ConnectionTimeouts {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly connectionTimeout: number;
  readonly maxHeaderSize: number;
}

const answerBroken = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  // A handshake that failed leaves nobody to answer.
  if (error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS')) socket.destroy();
  else sendBrokenRequestError(error, socket);
};

/** A server over TLS that hands calls and sockets on to `http`, which has to be ready before this one listens. */
export function createSecureServer(
  http: FastifyInstance,
  { key, certificate }: KeyCertificatePair,
  { connectionTimeout, ...patience }: ConnectionTimeouts,
): Server {
  const server = createServer(
    { key, cert: certificate, minVersion: 'TLSv1.2', handshakeTimeout: patience.headersTimeout, ...patience },
    (request, response) => http.routing(request, response),
  );
  server.setTimeout(connectionTimeout);
  server.maxConnections = http.server.maxConnections;
  server.on('clientError', answerBroken);
  // Sockets are at home at the plain server, with their rooms and counts.
  server.on('upgrade', (request, wire, head) => void http.server.emit('upgrade', request, wire, head));
  return server;
}
