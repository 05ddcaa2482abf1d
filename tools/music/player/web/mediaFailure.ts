/** Codes of `MediaError`. */
const DECODE = 3;
const NOT_SUPPORTED = 4;

/**
 * Whether a browser can't play what an address sends, in contrast to a line or a server that failed. Browsers say "not
 * supported" also where nothing came, so that one byte is asked for.
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
