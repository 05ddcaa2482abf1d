const MIB = 1024 * 1024;

export interface Circumstances {
  /** Addresses that lately sent forwarded headers without being trusted. */
  readonly untrustedProxies: readonly string[];
  readonly publicOrigins: readonly string[];
  readonly trustProxy: readonly string[];
  readonly rateLimits: boolean;
  readonly freeBytes: number;
  readonly mayKeepFiles: boolean;
  readonly mayDownload: boolean;
}

/** What the owner should look at, each in a sentence that says what to do. */
export const warningsOf = (now: Circumstances): readonly string[] => {
  const found: string[] = [];
  const free = `${Math.floor(now.freeBytes / MIB)} MiB of disk are free`;
  if (!now.mayKeepFiles) found.push(`Only ${free}: no files are kept until there is room.`);
  else if (!now.mayDownload) found.push(`Only ${free}: nothing is downloaded until there is room.`);
  for (const address of now.untrustedProxies)
    found.push(
      `Forwarded headers from ${address} are ignored, because it is no trusted proxy. If it is your proxy, name it in TRUST_PROXY.`,
    );
  if (now.publicOrigins.length > 0 && now.trustProxy.length === 0 && now.untrustedProxies.length === 0)
    found.push('PUBLIC_ORIGIN is set and TRUST_PROXY is not: all visitors count as one address.');
  if (!now.rateLimits) found.push('RATE_LIMITS is off, which is meant for load tests alone.');
  return found;
};
