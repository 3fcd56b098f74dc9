/** JSON of a bank that escapes quotes and backslashes alone: control characters stand in strings as they are. */
export function carelessJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /\\(?:["\\/]|u00([01][0-9a-f])|([bfnrt]))/gu,
    (all, hex: string | undefined, short: string | undefined) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return short === undefined ? all : (JSON.parse(`"${all}"`) as string);
    },
  );
}
