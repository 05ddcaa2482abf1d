import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

const pack = promisify(gzip);

/** Below this the time that is saved on the way is not felt. */
const LEAST_CHARACTERS = 32 * 1024;
/** A library of 20,000 songs takes 27 ms and comes to 13.5 percent; at level 6 it takes 103 ms and comes to 12.1. */
const LEVEL = 1;

/**
 * Sends JSON, packed where that is worth it: to a phone, a library of 20,000 songs is a second on its way unpacked. On this computer
 * itself there is no way to save. Packing says how much two parts of one answer have in common (BREACH): whoever could use that
 * would have to make another's browser call with its token, which no other site can.
 */
export const sendJson = async (request: FastifyRequest, reply: FastifyReply, json: string): Promise<FastifyReply> => {
  reply.type('application/json; charset=utf-8');
  if (json.length < LEAST_CHARACTERS) return reply.send(json);
  // As bytes: Node would join a text to its headers and write out both once more.
  const bytes = Buffer.from(json);
  if (request.peer.isLocal) return reply.send(bytes);
  reply.header('vary', 'accept-encoding');
  if (negotiate(request.headers['accept-encoding'] ?? '', ['gzip']) === null) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(await pack(bytes, { level: LEVEL }));
};
