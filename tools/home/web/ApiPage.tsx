import { useQuery } from '@tanstack/react-query';
import { fetchOpenApi } from '#platform/web/app/openapi.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { callsOf, type ApiCall, type Field } from './openapi.ts';
import styles from './ApiPage.module.css';

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
