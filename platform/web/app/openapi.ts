/** The server's description of its own calls: JSON, but no call with a `message`. */
export const fetchOpenApi = async (): Promise<unknown> => {
  const response = await fetch('/api/openapi.json');
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return response.json();
};
