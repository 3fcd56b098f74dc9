/* The module `node:timers/promises` for the service: the global timer is the world's. */

export function setTimeout<T>(ms: number, value?: T): Promise<T | undefined> {
  return new Promise((resolve) => {
    globalThis.setTimeout(() => {
      resolve(value);
    }, ms);
  });
}
