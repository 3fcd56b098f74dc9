import { createPublicKey } from 'node:crypto';
import * as z from 'zod';
import { common } from '../archive.ts';
import type { Archive } from '../archive.ts';
import type { Ids } from '../ids.ts';
import { instantAt } from '../time.ts';
import type { Account, Client, Kinds } from './model.ts';

export const ClientRequest = z.strictObject({
  /** PEM of a P-521 key, SPKI. */
  public_key: z.string().refine(isPublicKey, 'is not the PEM of a P-521 key'),
  owner_name: z.string().min(1).max(120).default('Empresa Local Ltda'),
  owner_document_number: z
    .string()
    .regex(/^(?:\d{11}|[0-9A-Z]{12}\d{2})$/u)
    .default('11222333000181'),
  /** Address of its webhooks. */
  webhook_url: z.url({ protocol: /^https?$/u }).exactOptional(),
  /** Pix keys of each of its accounts; default: one account with a random key. */
  accounts: z
    .array(z.strictObject({ pix_keys: z.array(z.string().min(1).max(77)) }))
    .min(1)
    .exactOptional(),
  /** Centavos of each account. */
  balance: z.int().default(100_000_000),
});

export function isPublicKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyDetails?.namedCurve === 'secp521r1';
  } catch {
    return false;
  }
}

type Ground = { readonly archive: Pick<Archive<Kinds>, 'drawer'>; readonly ids: Ids; readonly nowMs: number };

/** Creates a client of the bank: its `API-CLIENT-KEY` and its accounts. */
export function addClient({ archive, ids, nowMs }: Ground, request: z.output<typeof ClientRequest>): Client {
  const key = ids.uuid();
  const { owner_name, owner_document_number, balance } = request;
  const owner = { owner_name, owner_document_number, owner_person_key: ids.uuid() };
  const accounts = (request.accounts ?? [{ pix_keys: [ids.uuid()] }]).map(({ pix_keys }): Account => ({
    account_key: ids.uuid(),
    account_branch: '0001',
    account_number: ids.digits(7),
    account_digit: ids.digits(1),
    account_status: 'opened',
    ...owner,
    created_at: instantAt(nowMs),
    pix_keys,
    balance,
    blocked: 0,
  }));
  for (const account of accounts) archive.drawer(key).save('account', account.account_key, account);
  const client: Client = {
    api_client_key: key,
    public_key: request.public_key,
    webhook_url: request.webhook_url ?? '',
    clockAheadMs: 0,
    account_keys: accounts.map((account) => account.account_key),
  };
  archive.drawer(common).save('client', key, client);
  return client;
}

/** Returns a client's data for a connection. */
export function clientAccess({ archive }: Pick<Ground, 'archive'>, client: Client) {
  const accounts = archive.drawer(client.api_client_key).list('account');
  return {
    apiClientKey: client.api_client_key,
    accounts: accounts.map(({ blocked: _blocked, balance: _balance, created_at: _at, ...account }) => account),
  };
}
