import { orderIdOf } from '#shared/core/identifiers.ts';
import type { Instant } from '#shared/core/brasilia-time.ts';
import type { BankData } from '#shared/core/party.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import type { Account } from '#shared/platform/ledger/account.ts';
import type { CallContext } from '../outcome.ts';
import { BankUnavailable } from '../outcome.ts';
import { holderOf } from '../holder.ts';
import type { Charge, DynamicCode, UncheckedDirectory } from '../ports/directory.ts';
import type { Connected } from './connected.ts';
import { DetailsBody } from './shapes.ts';

/** The calling company's accounts and charges. */
type Own = {
  readonly account: (companyId: string, accountId: string) => Promise<Account | undefined>;
  readonly accountAt: (companyId: string, bank: BankData) => Promise<Account | undefined>;
  readonly charge: (
    companyId: string,
    orderId: string,
  ) => Promise<{ readonly id: string; readonly accountId: string; readonly expireDateTime: Instant } | undefined>;
};

/** Efí's answers about codes. It has no lookup of keys: it compares the document when it pays. */
export function efiDirectory({ client, connection }: Connected, own: Own): UncheckedDirectory {
  return {
    resolveKey: () => Promise.reject(new BankUnavailable('The bank looks up no keys.')),
    resolveAccount: async (bank, { companyId }) => {
      const account = await own.accountAt(companyId, bank);
      return account !== undefined && connection.accounts[account.id] !== undefined ? holderOf(account) : undefined;
    },
    resolveCharge: async ({ qrcodeData }: DynamicCode, context): Promise<Charge | undefined> => {
      const request = { method: 'POST', path: '/v2/gn/qrcodes/detalhar', body: { pixCopiaECola: qrcodeData } } as const;
      const body = await client.query({ ...request, signal: context.signal });
      if (body === undefined) return { state: 'NOT_PAYABLE' };
      const { data } = DetailsBody.safeParse(body);
      const key = data && recognisePixKey(data.chave);
      if (data === undefined || key === undefined)
        throw new BankUnavailable('The bank answered what it must not: details of a code.');
      const { status = 'ATIVA', txid, valor } = data;
      if (status === 'EXPIRADA') return { state: 'EXPIRED' };
      if (status !== 'ATIVA') return { state: 'NOT_PAYABLE' };
      const amount = valor?.final ?? valor?.original;
      const known = { state: 'OPEN', key, txid, ...(amount !== undefined && { amount }) } as const;
      return (await ownCharge(own, known, context)) ?? known;
    },
  };
}

/** The company's own charge, known by its `txid`: the bank masks every owner. */
async function ownCharge(
  own: Own,
  found: Extract<Charge, { readonly state: 'OPEN' }>,
  { companyId, at }: CallContext,
): Promise<Charge | undefined> {
  if (!/^[0-9a-f]{30}00$/u.test(found.txid)) return undefined;
  const charge = await own.charge(companyId, orderIdOf(found.txid));
  if (charge === undefined) return undefined;
  // At the bank an expired one stays `ATIVA`.
  if (charge.expireDateTime <= at) return { state: 'EXPIRED' };
  const account = await own.account(companyId, charge.accountId);
  const owner = account && holderOf(account);
  return owner && { ...found, owner, payInId: charge.id };
}
