// Apart from the store, because the settings need it and the client takes memory.

const ADDRESS_PATTERN = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])((?:\/[\w-][\w.-]*)*)\/?$/;

/** Parses `s3://bucket/prefix`; undefined if it is no such address. The prefix may be empty. */
export function parseS3Address(text: string): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, path = ''] = ADDRESS_PATTERN.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, prefix: path.slice(1) };
}
