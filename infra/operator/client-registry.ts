import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import * as z from 'zod';
import { replaceFile } from './local-environment.ts';

/** The clients of the local issuer. */
export type ClientRegistry = {
  readonly verify: (clientId: string, secret: string) => Promise<boolean>;
};

/** A registry in a file that holds hashes only; secrets are shown once, when they are created. */
export type FileClientRegistry = ClientRegistry & {
  /** Adds a client, or replaces its secret. */
  readonly register: (clientId: string, secret: string) => Promise<void>;
};

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const keyBytes = 32;

const fileShape = z.object({ clients: z.record(z.string(), z.object({ salt: z.base64(), hash: z.base64() })) });
type Clients = z.infer<typeof fileShape>['clients'];

/**
 * Opens a registry. It hashes by scrypt with Node's default parameters (N 16384, r 8, p 1) and 16 bytes of salt. Each
 * call reads the file again.
 */
export function openClientRegistry(file: string): FileClientRegistry {
  return {
    verify: async (clientId, secret) => {
      const clients = readClients(file);
      const known = Object.hasOwn(clients, clientId) ? clients[clientId] : undefined;
      // An unknown client takes as long as an invalid secret.
      const salt = known === undefined ? Buffer.alloc(16) : Buffer.from(known.salt, 'base64');
      const hash = await derive(secret, salt, keyBytes);
      return known !== undefined && timingSafeEqual(hash, Buffer.from(known.hash, 'base64'));
    },
    register: async (clientId, secret) => {
      const salt = randomBytes(16);
      const hash = await derive(secret, salt, keyBytes);
      const clients = {
        ...readClients(file),
        [clientId]: { salt: salt.toString('base64'), hash: hash.toString('base64') },
      };
      replaceFile(file, `${JSON.stringify({ clients }, null, 2)}\n`);
    },
  };
}

function readClients(file: string): Clients {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return fileShape.parse(JSON.parse(text)).clients;
}
