import { uuidFrom } from '../world/machine.ts';

/* The module `node:crypto` for the service: its random numbers are the world's (`Math.random` is by then). */

export * from 'node:crypto';

export function randomUUID(): string {
  return uuidFrom(() => Math.random());
}

export { drawBelow as randomInt } from '../world/chance.ts';

export function randomBytes(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => Math.floor(Math.random() * 256)));
}
