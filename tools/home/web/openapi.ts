/** A field as the page lists it. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly needed: boolean;
  readonly description: string;
}

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Who may make it, in words; '' where the document does not say. */
  readonly access: string;
  readonly request: readonly Field[];
  readonly answer: readonly Field[];
}

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const nodeAt = (from: unknown, ...keys: readonly string[]): Node => {
  let at: unknown = from;
  for (const key of keys) at = isNode(at) ? at[key] : undefined;
  return isNode(at) ? at : {};
};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A JSON schema in a few words: 'text', 'list of number', 'one of "a", "b"'. */
const typeOf = (schema: unknown): string => {
  const node = nodeAt(schema);
  if ('const' in node) return JSON.stringify(node['const']);
  const choices = listOf(node['enum']);
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  const kinds = [...listOf(node['anyOf']), ...listOf(node['oneOf'])];
  if (kinds.length > 0) return kinds.map(typeOf).join(' | ');
  if (node['type'] === 'array') {
    const items = listOf(node['prefixItems']);
    return items.length > 0 ? `[${items.map(typeOf).join(', ')}]` : `list of ${typeOf(node['items'])}`;
  }
  if (node['type'] === 'object') {
    const inner = Object.entries(nodeAt(node['properties']));
    if (inner.length > 0) return `{ ${inner.map(([name, of]) => `${name}: ${typeOf(of)}`).join(', ')} }`;
    return isNode(node['additionalProperties']) ? `{ each name: ${typeOf(node['additionalProperties'])} }` : 'object';
  }
  return textOf(node['type']) || 'anything';
};

const fieldsOf = (schema: Node): readonly Field[] => {
  const needed = listOf(schema['required']);
  return Object.entries(nodeAt(schema['properties'])).map(([name, of]) => ({
    name,
    type: typeOf(of),
    needed: needed.includes(name),
    description: textOf(nodeAt(of)['description']),
  }));
};

const parametersOf = (operation: Node): readonly Field[] =>
  listOf(operation['parameters']).map((parameter) => {
    const node = nodeAt(parameter);
    return {
      name: textOf(node['name']),
      type: typeOf(node['schema']),
      needed: node['required'] === true,
      description: textOf(node['description']),
    };
  });

/** The calls of an OpenAPI document, in its order. */
export const callsOf = (document: unknown): readonly ApiCall[] =>
  Object.entries(nodeAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(nodeAt(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      summary: textOf(nodeAt(operation)['summary']),
      access: textOf(nodeAt(operation)['x-access']),
      request: [
        ...parametersOf(nodeAt(operation)),
        ...fieldsOf(nodeAt(operation, 'requestBody', 'content', 'application/json', 'schema')),
      ],
      answer: fieldsOf(nodeAt(operation, 'responses', '200', 'content', 'application/json', 'schema')),
    })),
  );
