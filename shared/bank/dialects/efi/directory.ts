import * as z from 'zod';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { orderIdOf } from '#shared/core/identifiers.ts';
import { recognisePixKey } from '#shared/core/pix-key.ts';
import type { CallContext } from '#shared/bank/outcome.ts';
import { BankUnavailable, UnknownBankValue } from '#shared/bank/outcome.ts';
import { holderOf, ownAccountAt } from '#shared/bank/holder.ts';
import type { Charge, DynamicCode, OwnRecords, UncheckedDirectory } from '#shared/bank/ports/directory.ts';
import { isAbout } from '#shared/bank/about.ts';
import type { BankClient } from '#shared/bank/calls/bank-client.ts';
import { unavailable } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { understood } from '#shared/bank/calls/outcomes.ts';
import { CashOutBody, DetailsBody } from './shapes.ts';
import { values } from './values.ts';
import { known } from '#shared/bank/calls/enumeration.ts';

/** Looks up QR codes at Efí. Efí has no lookup of keys: it compares the document when it pays. */
export function efiDirectory({ client, connection }: Connected, own: OwnRecords): UncheckedDirectory {
  return {
    resolveKey: () => Promise.reject(new BankUnavailable('The bank has no lookup of keys.')),
    resolveAccount: ownAccountAt({ connection }, own),
    resolveCharge: async ({ url, qrcodeData }: DynamicCode, context): Promise<Charge | undefined> => {
      const request = { method: 'POST', path: '/v2/gn/qrcodes/detalhar', body: { pixCopiaECola: qrcodeData } } as const;
      const callOutcome = await client.question({ ...request, signal: context.signal });
      // A refusal concerns the code, so no repetition changes it.
      if (callOutcome.is === 'MISSING' || callOutcome.is === 'REFUSED') return { state: 'NOT_PAYABLE' };
      if (callOutcome.is !== 'OK') throw unavailable(callOutcome);
      // Checked before the amount is read: a code of Pix Saque has no amount of its own.
      if (CashOutBody.safeParse(callOutcome.body).success) return { state: 'CASH_OUT' };
      const { data } = DetailsBody.safeParse(callOutcome.body);
      const key = data && recognisePixKey(data.chave);
      if (data === undefined || key === undefined)
        throw new BankUnavailable('The bank response about a QR code is invalid.');
      const { status = 'ATIVA', txid, valor } = data;
      const state = understood(client, status, z.string(), (value) => known(values.codeStatus, value));
      // An unknown status is no refusal: the code may be payable.
      if (state === undefined) throw new UnknownBankValue('The bank response about a QR code has an unknown status.');
      if (state !== 'OPEN') return { state };
      const amount = valor?.final ?? valor?.original;
      const found = { state, key, txid, ...(amount !== undefined && { amount }) } as const;
      return (await ownCharge(own, found, { client, url, context })) ?? found;
    },
  };
}

type Asking = { readonly client: BankClient; readonly url: string; readonly context: CallContext };

/**
 * Returns the company's own charge, found by its `txid`: the bank masks every owner. Undefined for another charge.
 * @throws BankUnavailable when the bank's details are those of another code
 */
async function ownCharge(
  own: OwnRecords,
  found: Extract<Charge, { readonly state: 'OPEN' }>,
  { client, url, context: { companyId, at } }: Asking,
): Promise<Charge | undefined> {
  if (!/^[0-9a-f]{30}00$/u.test(found.txid)) return undefined;
  const charge = await own.charge(companyId, orderIdOf(found.txid));
  if (charge === undefined) return undefined;
  const code = parseBrCode(charge.qrcodeData);
  const known = { valor: charge.amount, ...(code.kind === 'DYNAMIC' && { location: code.url }) };
  if (!isAbout(client, known, { valor: found.amount, location: url }))
    throw new BankUnavailable('The bank response names another charge than the request.');
  // An expired charge stays `ATIVA` at the bank.
  if (charge.expireDateTime <= at) return { state: 'EXPIRED' };
  const account = await own.account(companyId, charge.accountId);
  const owner = account && holderOf(account);
  return owner && { ...found, owner, payInId: charge.id };
}
