import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { toSitePath } from '#platform/web/browser/siteAddress.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import styles from './ApiPage.module.css';

/** Fetches the server's description of its calls. It is JSON without a `message`, so it is not a call. */
async function fetchOpenApi(): Promise<unknown> {
  const response = await fetch(toSitePath('/api/openapi.json'));
  if (!response.ok) throw new Error(`The server responded with status ${response.status}`);
  return response.json();
}

/** A field of a request or an answer. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Who may make the call, in words; '' if the document does not say. */
  readonly access: string;
  readonly request: readonly Field[];
  readonly answer: readonly Field[];
}

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
function getNode(root: unknown, ...keys: readonly string[]): Node {
  let value: unknown = root;
  for (const key of keys) value = isNode(value) ? value[key] : undefined;
  return isNode(value) ? value : {};
}
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Describes a JSON schema in a few words: 'text', 'list of number', '"a" | "b"'. */
function describeType(schema: unknown): string {
  const node = getNode(schema);
  if ('const' in node) return JSON.stringify(node['const']);
  const values = toList(node['enum']);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(' | ');
  const alternatives = [...toList(node['anyOf']), ...toList(node['oneOf'])];
  if (alternatives.length > 0) return alternatives.map(describeType).join(' | ');
  if (node['type'] === 'array') {
    const items = toList(node['prefixItems']);
    return items.length > 0 ? `[${items.map(describeType).join(', ')}]` : `list of ${describeType(node['items'])}`;
  }
  if (node['type'] === 'object') {
    const properties = Object.entries(getNode(node['properties'])).map(
      ([name, property]) => `${name}: ${describeType(property)}`,
    );
    if (properties.length > 0) return `{ ${properties.join(', ')} }`;
    const additional = node['additionalProperties'];
    return isNode(additional) ? `{ [name]: ${describeType(additional)} }` : 'object';
  }
  return toText(node['type']) || 'anything';
}

function listFields(schema: Node): readonly Field[] {
  const required = toList(schema['required']);
  return Object.entries(getNode(schema['properties'])).map(([name, property]) => ({
    name,
    type: describeType(property),
    isRequired: required.includes(name),
    description: toText(getNode(property)['description']),
  }));
}

const listParameters = (operation: Node): readonly Field[] =>
  toList(operation['parameters']).map((parameter) => {
    const node = getNode(parameter);
    return {
      name: toText(node['name']),
      type: describeType(node['schema']),
      isRequired: node['required'] === true,
      description: toText(node['description']),
    };
  });

/** Lists the calls of an OpenAPI document in its order. */
function listCalls(document: unknown): readonly ApiCall[] {
  return Object.entries(getNode(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(getNode(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      summary: toText(getNode(operation)['summary']),
      access: toText(getNode(operation)['x-access']),
      request: [
        ...listParameters(getNode(operation)),
        ...listFields(getNode(operation, 'requestBody', 'content', 'application/json', 'schema')),
      ],
      answer: listFields(getNode(operation, 'responses', '200', 'content', 'application/json', 'schema')),
    })),
  );
}

function FieldTable({ name, fields }: { readonly name: string; readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return (
    <table>
      <caption>{name}</caption>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">
              {field.name}
              {!field.isRequired && <span>optional</span>}
            </th>
            <td>
              <code>{field.type}</code>
              {field.description !== '' && (
                <p>
                  <InlineCode text={field.description} />
                </p>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows the parts of a text in backticks as code. */
function InlineCode({ text }: { readonly text: string }) {
  return text
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
    );
}

function CallEntry({ method, path, summary, access, request, answer }: ApiCall) {
  return (
    <details className={styles['call']} id={`${method}${path}`}>
      <summary>
        <Badge tone={method === 'GET' ? 'blue' : 'green'}>{method}</Badge>
        <code>{path}</code>
        <span>
          <InlineCode text={summary} />
        </span>
        {access !== '' && <Badge>{access}</Badge>}
      </summary>
      <FieldTable name="Request" fields={request} />
      <FieldTable name="Response" fields={answer} />
      {request.length + answer.length === 0 && <p>No fields</p>}
    </details>
  );
}

/** Documents the calls of this server, as described in `/api/openapi.json`. */
export default function ApiPage() {
  const { data, error } = useQuery({ queryKey: ['openapi'], queryFn: fetchOpenApi });
  const calls = listCalls(data);
  return (
    <>
      <PageHeader note={calls.length > 0 ? `${calls.length} calls` : undefined} />
      <div className={styles['wrap']}>
        <p>
          Every call returns JSON with a <code>message</code>: <code>ok</code>, or a sentence with the reason for a
          refusal. Send the token in the header <code>Authorization: Bearer …</code>, in the query or in the body. The
          OpenAPI description is at <a href={toSitePath('/api/openapi.json')}>{toSitePath('/api/openapi.json')}</a>
        </p>
        {error && <p role="alert">{error.message}</p>}
        {calls.map((apiCall) => (
          <CallEntry key={apiCall.method + apiCall.path} {...apiCall} />
        ))}
      </div>
    </>
  );
}
