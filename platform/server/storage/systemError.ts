/** Whether the system says so, by its own short name: 'ENOENT', 'EXDEV'. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
