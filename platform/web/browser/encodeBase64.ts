/**
 * Encodes a part of a file as base64 with the browser's asynchronous API, which doesn't block the page.
 * @throws Error if the file can't be read any more
 */
export async function encodeBase64(part: Blob): Promise<string> {
  const reader = new FileReader();
  const address = await new Promise<string>((resolve, reject) => {
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () =>
      reject(reader.error ?? new Error('The file cannot be read. Choose it again')),
    );
    reader.readAsDataURL(part);
  });
  return address.slice(address.indexOf(',') + 1);
}
