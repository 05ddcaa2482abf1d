// The simplest program that serves a page: node:http and one string.
import { createServer } from 'node:http';

createServer((_, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>'),
).listen(Number(process.env['PORT']), '127.0.0.1');
