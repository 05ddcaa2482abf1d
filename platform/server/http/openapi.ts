import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import type { Call } from '#platform/contract/call.ts';
import { isFileAnswer } from '#platform/contract/client.ts';
import type { FileRoute } from './endpoint.ts';

/** Calls of one tool, tagged with its name. */
export interface CallGroup {
  readonly tag: string;
  readonly calls: readonly Call[];
  readonly files?: readonly FileRoute[];
}

type Json = Readonly<Record<string, unknown>>;

function toJsonSchema(shape: z.ZodMiniObject, io: 'input' | 'output'): Json {
  const { $schema: _, additionalProperties: __, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  return schema;
}

const MESSAGE_SCHEMA = { type: 'string' };
const CODE_SCHEMA = { type: 'string', description: 'Of a refusal: dotted and stable, such as `paste.not_found`.' };
const buildErrorResponse = (description: string, extra: Json = {}): Json => ({
  description,
  content: {
    'application/json': {
      schema: { type: 'object', properties: { message: MESSAGE_SCHEMA, ...extra }, required: ['message'] },
    },
  },
});

const ERROR_RESPONSES = {
  BadRequest: buildErrorResponse('The request does not match the schema of the call: `<field>: <what is wrong>`.'),
  NotFound: buildErrorResponse('Nothing was found at this address, or the caller has no access to it.'),
  TooLarge: buildErrorResponse('The body is larger than the call accepts.'),
  UnsupportedType: buildErrorResponse('The body is not `application/json`.'),
  TooMany: {
    ...buildErrorResponse('Too many requests.'),
    headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
  },
  ServerError: buildErrorResponse('A fault of the server. The `id` is also in its log.', { id: { type: 'string' } }),
};

const createReference = (name: keyof typeof ERROR_RESPONSES): Json => ({ $ref: `#/components/responses/${name}` });

function buildAnswerSchema({ answer }: Call): Json {
  if (isFileAnswer(answer))
    return { type: 'object', properties: { message: MESSAGE_SCHEMA, code: CODE_SCHEMA }, required: ['message'] };
  const { properties, ...rest } = toJsonSchema(answer, 'output');
  return {
    // A refusal has a `message`, a `code` and none of the other fields, so these are not required.
    ...rest,
    properties: { message: MESSAGE_SCHEMA, code: CODE_SCHEMA, ...(properties as Json) },
    required: ['message'],
  };
}

function buildSuccess(contract: Call): Json {
  const { answer, done = 'ok' } = contract;
  const json = { 'application/json': { schema: buildAnswerSchema(contract) } };
  if (!isFileAnswer(answer))
    return {
      description: `\`message\` is '${done}' and the other fields are present, or \`message\` says why the call was refused.`,
      content: json,
    };
  const files = answer.fileTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }] as const);
  return {
    description: 'The file, or JSON whose `message` says why the call was refused.',
    content: { ...Object.fromEntries(files), ...json },
  };
}

const ACCESS_DESCRIPTIONS: Record<Call['access'], string> = {
  anyone: 'Open to everyone. A token is optional.',
  account: 'Requires the token of a person.',
  device: 'Requires the token of a device.',
};

function listParameters(contract: Call): readonly Json[] {
  const { properties = {}, required = [] } = toJsonSchema(contract.request, 'input') as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const getOperationId = (path: string): string => path.slice('/api/'.length).replaceAll('/', '_');

const buildOperation = (tag: string, contract: Call, isSecondOfPath: boolean): Json => ({
  tags: [tag],
  operationId: `${getOperationId(contract.path)}${isSecondOfPath ? `_${contract.method.toLowerCase()}` : ''}`,
  summary: contract.summary,
  description: ACCESS_DESCRIPTIONS[contract.access],
  security: contract.access === 'anyone' ? [{}, { token: [] }] : [{ token: [] }],
  ...(contract.method === 'GET'
    ? { parameters: listParameters(contract) }
    : {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: toJsonSchema(contract.request, 'input') } },
        },
      }),
  responses: {
    200: buildSuccess(contract),
    400: createReference('BadRequest'),
    ...(contract.method === 'POST'
      ? { 413: createReference('TooLarge'), 415: createReference('UnsupportedType') }
      : {}),
    429: createReference('TooMany'),
    500: createReference('ServerError'),
  },
});

const buildFileOperation = (tag: string, { path, summary, types }: FileRoute): Json => ({
  tags: [tag],
  operationId: getOperationId(path.replaceAll(/\/:.*/g, '')),
  summary,
  description: 'Returns a file, or JSON with a `message` if there is none.',
  security: [{}],
  parameters: [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: {
    200: {
      description: 'The file.',
      content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    },
    400: createReference('BadRequest'),
    404: createReference('NotFound'),
    429: createReference('TooMany'),
    500: createReference('ServerError'),
  },
});

/** Creates the OpenAPI 3.1 document of all calls and file routes from their contracts. */
export function buildOpenApiDocument(groups: readonly CallGroup[], version: string, basePath = ''): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { tag, files = [] } of groups)
    for (const route of files)
      paths[route.path.replaceAll(/:(\w+)/g, '{$1}')] = { get: buildFileOperation(tag, route) };
  for (const { tag, calls } of groups)
    for (const contract of calls)
      paths[contract.path] = {
        ...paths[contract.path],
        [contract.method.toLowerCase()]: buildOperation(tag, contract, contract.path in paths),
      };
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pegboard',
      version,
      description:
        'Every response is JSON with a `message`. A valid call that is refused gets status 200 and one sentence with the reason.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${basePath}/` }],
    tags: groups.filter(({ calls, files = [] }) => calls.length + files.length > 0).map(({ tag }) => ({ name: tag })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The token of a session. It can also be sent as `token` in the query, the body or its `content`.',
        },
      },
      responses: ERROR_RESPONSES,
    },
  };
}

/**
 * Serves the document at `/api/openapi.json`.
 * It is created at the first request, because it takes longer than all other work of a start.
 */
export function registerOpenApiRoute(http: FastifyInstance, createDocument: () => Json): void {
  let text: string | undefined;
  http.get('/api/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(createDocument());
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(text);
  });
}
