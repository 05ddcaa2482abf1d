const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** '812 bytes', '1.5 MiB', '120 GiB'. */
export const formatSize = (bytes: number): string => {
  const at = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : Math.floor(value * 10) / 10} ${UNITS[at]}`;
};
