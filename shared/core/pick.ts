/** The same members without undefined as a value. */
type Known<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Copies these members of an object, in the order of the names. Absent or undefined members are left out. */
export function pick<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Known<Pick<T, K>> {
  const given = names.filter((name) => from[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, from[name]])) as Known<Pick<T, K>>;
}
