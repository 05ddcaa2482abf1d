import { globSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Call } from '#platform/contract/call.ts';
import type { ClientEvent } from '#platform/contract/event.ts';

const root = join(import.meta.dirname, '../../..');

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value;

async function importValues(path: string): Promise<readonly unknown[]> {
  const module: Record<string, unknown> = await import(/* @vite-ignore */ join(root, path));
  return Object.values(module);
}

const isClientEvent = (value: unknown): value is ClientEvent =>
  typeof value === 'object' && value !== null && 'from' in value && value.from === 'client' && 'data' in value;

async function listDeclarations<Kind>(isKind: (value: unknown) => value is Kind): Promise<readonly Kind[]> {
  const paths = globSync(['platform/contract/*.ts', 'tools/*/contract{,/*}.ts'], {
    cwd: root,
    // The example is not part of the server (docs/adding-a-tool.md).
    exclude: ['**/*.test.ts', 'tools/example/**'],
  }).toSorted();
  // A contract can re-export declarations of others.
  return [...new Set((await Promise.all(paths.map(importValues))).flat().filter(isKind))];
}

/** Returns every call of all contracts; new tools are included automatically. */
export function listCalls(): Promise<readonly Call[]> {
  return listDeclarations(isCall);
}

/** Returns every event that pages and agents send. */
export function listClientEvents(): Promise<readonly ClientEvent[]> {
  return listDeclarations(isClientEvent);
}

/** JSON schema of a request, as far as tests need it. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  /** Schema of a map's values. */
  readonly additionalProperties?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly maxLength?: number;
}

/** Converts a contract's shape to a JSON schema. */
export function toJsonSchema(shape: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
}
export function getRequestSchema({ request }: Call): JsonSchema {
  return toJsonSchema(request);
}

/** Creates a request that fits the schema, the same each time; every free text is `text`. */
export function createSample(schema: JsonSchema, text = 'x'): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return createSample(schema.anyOf[0] ?? {}, text);
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, createSample(inner, text)]),
    );
  if (schema.type === 'array') return [];
  // A map: any key, any value.
  if (schema.type === 'object') return { [text]: createSample(schema.additionalProperties ?? {}, text) };
  if (schema.type === 'number' || schema.type === 'integer') return 1;
  return schema.type === 'boolean' ? false : text;
}
