import { openAdvapi32, openKernel32 } from './libraries.ts';

const QUERY_LIMITED_INFORMATION = 0x1000;
const TOKEN_QUERY = 0x8;
const INTEGRITY_LEVEL = 25;
/** A token's level is its highest group, and Windows gives it as a pointer, attributes and the group itself. */
const LABEL_BYTES = 256;
const LABEL_HEADER_BYTES = 16;
/** A group starts with its revision, the count of its parts, and 6 bytes for its authority. */
const GROUP_HEADER_BYTES = 8;

/** Returns the integrity level in a TOKEN_MANDATORY_LABEL: its group is in the same buffer, after the header. */
export function parseIntegrityLevel(label: Buffer): number {
  const partCount = label.readUInt8(LABEL_HEADER_BYTES + 1);
  return label.readUInt32LE(LABEL_HEADER_BYTES + GROUP_HEADER_BYTES + 4 * (partCount - 1));
}

/** Returns the integrity level of a process handle; undefined if Windows does not let us look. */
function readIntegrityLevel(process: bigint): number | undefined {
  const { OpenProcessToken, GetTokenInformation } = openAdvapi32();
  const { CloseHandle } = openKernel32();
  const token = Buffer.alloc(8);
  if (OpenProcessToken(process, TOKEN_QUERY, token) === 0) return undefined;
  const handle = token.readBigUInt64LE(0);
  const label = Buffer.alloc(LABEL_BYTES);
  const isRead = GetTokenInformation(handle, INTEGRITY_LEVEL, label, LABEL_BYTES, Buffer.alloc(4)) !== 0;
  CloseHandle(handle);
  return isRead ? parseIntegrityLevel(label) : undefined;
}

/** Knows which programs Windows protects from our input: those with a higher integrity level. */
export interface Privileges {
  /** Returns whether a process has higher privileges than this one. */
  readonly isHigher: (pid: number) => boolean;
}

/**
 * Decides by the levels of both processes. A program that we may not even look at has higher privileges.
 * @param own undefined if it is unknown.
 */
export function isHigherLevel(own: number | undefined, other: number | undefined): boolean {
  return own !== undefined && (other === undefined || other > own);
}

export function openPrivileges(): Privileges {
  const { OpenProcess, GetCurrentProcess, CloseHandle } = openKernel32();
  const own = readIntegrityLevel(GetCurrentProcess());
  return {
    isHigher: (pid) => {
      const handle = OpenProcess(QUERY_LIMITED_INFORMATION, 0, pid);
      if (handle === 0n) return isHigherLevel(own, undefined);
      const level = readIntegrityLevel(handle);
      CloseHandle(handle);
      return isHigherLevel(own, level);
    },
  };
}
