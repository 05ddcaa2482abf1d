/** Codes of `MediaError`. */
const DECODE = 3;
const NOT_SUPPORTED = 4;

/**
 * Returns whether the browser can't play the content, as opposed to a failure of the connection or the server.
 * Browsers report "not supported" for both, so one byte is requested.
 */
export async function isMediaFailure(code: number | undefined, address: string): Promise<boolean> {
  if (code === DECODE) return true;
  if (code !== NOT_SUPPORTED) return false;
  try {
    const answer = await fetch(address, { headers: { range: 'bytes=0-0' } });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
