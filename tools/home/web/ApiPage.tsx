import { useQuery } from '@tanstack/react-query';
import { fetchOpenApi } from '#platform/web/app/openapi.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import styles from './ApiPage.module.css';

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
export function callsOf(document: unknown): readonly ApiCall[] {
  return Object.entries(nodeAt(document, 'paths')).flatMap(([path, methods]) =>
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
}

function Fields({ name, fields }: { readonly name: string; readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return (
    <table>
      <caption>{name}</caption>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              {field.name}
              {!field.needed && <span>optional</span>}
            </th>
            <td>
              <code>{field.type}</code>
              {field.description !== '' && <p>{field.description}</p>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CallEntry({ method, path, summary, access, request, answer }: ApiCall) {
  return (
    <details className={styles['call']} id={`${method}${path}`}>
      <summary>
        <Badge tone={method === 'GET' ? 'blue' : 'green'}>{method}</Badge>
        <code>{path}</code>
        <span>{summary}</span>
        {access !== '' && <Badge>{access}</Badge>}
      </summary>
      <Fields name="Sent" fields={request} />
      <Fields name="Answered" fields={answer} />
      {request.length + answer.length === 0 && <p>No fields.</p>}
    </details>
  );
}

/** The calls of this server, as `/api/openapi.json` describes them. */
export default function ApiPage() {
  const described = useQuery({ queryKey: ['openapi'], queryFn: fetchOpenApi });
  const calls = described.data === undefined ? [] : callsOf(described.data);
  return (
    <>
      <PageHeader note={calls.length > 0 ? `${calls.length} calls` : undefined} />
      <div className={styles['wrap']}>
        <p>
          Every call answers JSON with a <code>message</code>: <code>ok</code>, or a sentence saying why not. The token
          goes into the header <code>Authorization: Bearer …</code>, into the query or into the body. The whole
          description for programs is <a href="/api/openapi.json">/api/openapi.json</a>.
        </p>
        {described.error && <p role="alert">{described.error.message}</p>}
        {calls.map((each) => (
          <CallEntry key={each.method + each.path} {...each} />
        ))}
      </div>
    </>
  );
}
