import { useVisitors } from './useVisitors.ts';

/** What visitors wrote to the owner of this server. */
export function Visitors() {
  const { visitors = [] } = useVisitors();
  return (
    <ol aria-label="Visitors">
      {visitors.map(({ id, name, text }) => (
        <li key={id}>
          {name}: {text}
        </li>
      ))}
    </ol>
  );
}
