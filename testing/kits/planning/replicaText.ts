/** Serializes maps and sets as JSON and back, like a store that only supports text. */
export function roundTrip<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, its: unknown) => {
      if (its instanceof Map) return { map: [...its] };
      return its instanceof Set ? { set: [...its] } : its;
    }),
    (_, its: unknown) => {
      if (typeof its !== 'object' || its === null) return its;
      if ('map' in its && Array.isArray(its.map)) return new Map(its.map as [unknown, unknown][]);
      return 'set' in its && Array.isArray(its.set) ? new Set(its.set) : its;
    },
  ) as T;
}
