import { expect, test } from 'vitest';
import { parseInput } from '#platform/contract/parseInput.ts';
import { listCalls, listClientEvents, toJsonSchema, type JsonSchema } from './kits/server/contracts.ts';

const NOT_TEXTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['number', 1],
  ['integer', 1],
  ['boolean', false],
]);

/** Returns a request with one value in every field; each free text is `text`. */
function filled(schema: JsonSchema, text: unknown): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return filled(schema.anyOf.find(({ type }) => type === 'string') ?? schema.anyOf[0] ?? {}, text);
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, filled(inner, text)]));
  if (schema.type === 'array') return [filled(schema.items ?? {}, text)];
  if (schema.type === 'object') return { 7: filled(schema.additionalProperties ?? {}, text) };
  return NOT_TEXTS.get(schema.type ?? '') ?? text;
}

/** Numbers of different lengths; patterned texts use one of them. */
const DIGITS = [7, 12, 930, 20261127, 123456789012];

test('every call and event accepts digits as a number where it accepts them as text', async () => {
  const shapes = [
    ...(await listCalls())
      .filter(({ method }) => method === 'POST')
      .map(({ path, request }) => [path, request] as const),
    ...(await listClientEvents()).map(({ name, data }) => [name, data] as const),
  ];
  let taken = 0;
  for (const [name, shape] of shapes)
    for (const digits of DIGITS) {
      const asText = shape.safeParse(filled(toJsonSchema(shape), String(digits)));
      if (!asText.success) continue;
      taken += 1;
      const asNumber = parseInput(shape, filled(toJsonSchema(shape), digits));
      expect(asNumber.success, name).toBe(true);
      // A field of any type keeps the number.
      expect(JSON.stringify(asNumber.data).replaceAll('"', ''), name).toBe(
        JSON.stringify(asText.data).replaceAll('"', ''),
      );
    }
  expect(taken).toBeGreaterThan(shapes.length);
});
