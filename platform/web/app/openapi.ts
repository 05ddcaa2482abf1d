/** Fetches the server's description of its calls. It is JSON without a `message`, so it is not a call. */
export async function fetchOpenApi(): Promise<unknown> {
  const response = await fetch('/api/openapi.json');
  if (!response.ok) throw new Error(`The server responded with status ${response.status}`);
  return response.json();
}
