/** Sends a raw POST; returns what a browser's client would not expose. */
export async function postRaw(
  origin: string,
  path: `/api/${string}`,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, headers: response.headers, answer };
}
