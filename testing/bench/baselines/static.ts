// The simplest server of one file: `@fastify/static`. FILE is its absolute path.
import { basename, dirname } from 'node:path';
import serveFiles from '@fastify/static';
import Fastify from 'fastify';

const file = process.env['FILE'] ?? '';
const http = Fastify();
await http.register(serveFiles, { root: dirname(file), serve: false });
http.get('/', (_request, reply) => reply.send('up'));
http.get('/file', (_request, reply) => reply.sendFile(basename(file)));
await http.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
