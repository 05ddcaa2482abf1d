// The simplest login page in React: two fields, a button, a call.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

function Login() {
  const [message, setMessage] = useState('');
  async function send(form: FormData): Promise<void> {
    const body = JSON.stringify(Object.fromEntries(form));
    const answer = await fetch('/api/log', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    setMessage(((await answer.json()) as { readonly message: string }).message);
  }
  return (
    <form action={send}>
      <input name="username" aria-label="Username" />
      <input name="password" type="password" aria-label="Password" />
      <button type="submit">Go</button>
      <p>{message}</p>
    </form>
  );
}

const root = document.querySelector('#root');
if (root) createRoot(root).render(<Login />);
