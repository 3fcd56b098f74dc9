/** The same members, each known where it is there at all. */
type Known<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Members of an object, in the order of these names; what the object lacks, the copy lacks. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Known<Pick<T, K>> {
  const given = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, from[name]])) as Known<Pick<T, K>>;
}
