/** Serializes maps and sets as JSON and back, like a store that only supports text. */
export function roundTrip<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) => {
      if (item instanceof Map) return { map: [...item] };
      return item instanceof Set ? { set: [...item] } : item;
    }),
    (_, item: unknown) => {
      if (typeof item !== 'object' || item === null) return item;
      if ('map' in item && Array.isArray(item.map)) return new Map(item.map as [unknown, unknown][]);
      return 'set' in item && Array.isArray(item.set) ? new Set(item.set) : item;
    },
  ) as T;
}
