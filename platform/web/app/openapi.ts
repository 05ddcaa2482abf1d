/** The server's description of its own calls: JSON, but no call with a `message`. */
export async function fetchOpenApi(): Promise<unknown> {
  const response = await fetch('/api/openapi.json');
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return response.json();
}
