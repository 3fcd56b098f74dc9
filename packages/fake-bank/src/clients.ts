import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Drawer } from './archive.ts';
import type { Authority, Certificate } from './certificates.ts';
import { fingerprint } from './certificates.ts';
import type { Client } from './model.ts';
import { operations } from './api/operations.ts';

export const ClientRequest = z.strictObject({
  nome: z.string().min(1).max(140).default('Empresa Local Ltda'),
  cnpj: z
    .string()
    .regex(/^[0-9A-Z]{14}$/u)
    .default('11222333000181'),
  accounts: z
    .array(
      z.strictObject({
        chave: z.string().min(1).max(77),
        agencia: z.string().max(4).default('0001'),
        conta: z.string().max(20),
        tipoConta: z.enum(['CORRENTE', 'POUPANCA', 'PAGAMENTO']).default('CORRENTE'),
      }),
    )
    .min(1)
    .optional(),
  /** Centavos. */
  balance: z.int().default(100_000_000),
  /** Scopes of its contract; absent: all. */
  scopes: z.array(z.string()).optional(),
  webhookRequired: z.boolean().default(false),
});

/** Creates a client of the bank: its id and secret, an account with a random key, and its certificate. */
export function addClient(common: Drawer, authority: Authority, request: z.output<typeof ClientRequest>): Client {
  const id = `Client_Id_${randomBytes(20).toString('hex')}`;
  const account = {
    chave: randomUUID(),
    agencia: '0001',
    conta: String(common.list('client').length + 1).padStart(8, '0'),
  };
  const client: Client = {
    id,
    secret: `Client_Secret_${randomBytes(20).toString('hex')}`,
    nome: request.nome,
    cnpj: request.cnpj,
    accounts: request.accounts ?? [{ ...account, tipoConta: 'CORRENTE' }],
    fingerprints: [fingerprint(certificateOf(authority, id, 1).cert)],
    scopes: request.scopes ?? [...new Set(operations.map(({ scope }) => scope))],
    balance: request.balance,
    clockAheadMs: 0,
    webhookRequired: request.webhookRequired,
  };
  common.save('client', id, client);
  return client;
}

/** Adds a certificate to a client; its earlier certificates stay valid. */
export function addCertificate(common: Drawer, authority: Authority, client: Client): Client {
  const { cert } = certificateOf(authority, client.id, client.fingerprints.length + 1);
  const next = { ...client, fingerprints: [...client.fingerprints, fingerprint(cert)] };
  common.save('client', client.id, next);
  return next;
}

/** Returns a client's data for a connection, with the files of its newest certificate. */
export function clientAccess(authority: Authority, client: Client) {
  const { certFile, keyFile } = certificateOf(authority, client.id, client.fingerprints.length);
  const { id, secret, nome, cnpj, accounts } = client;
  return { id, secret, certFile, keyFile, nome, cnpj, accounts };
}

function certificateOf(authority: Authority, id: string, number: number): Certificate {
  return authority.issue(`${id}-${number}`, id);
}
