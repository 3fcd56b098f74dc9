import type { Account } from '#shared/accounts/model.ts';
import { buildDynamicCode } from '../core/br-code/build.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { Ids } from '../core/identifiers.ts';
import { orderIdOf } from '../core/identifiers.ts';
import { forbiddenByState } from '../core/errors.ts';
import { pick } from '../core/pick.ts';
import { anyShard } from '../platform/ledger/shards.ts';
import { ownerBankOf } from '../bank/owner-bank.ts';
import type { PayIn } from './model.ts';
import { errorMessageOf } from '../core/spi-codes.ts';
import { submitOnce, requireOutcome } from '../bank/bank.ts';
import type { Bank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';

/** Default lifetime of a charge, seconds, as in the BCB's API Pix (`calendario.expiracao`). */
const defaultLifeSeconds = 86_400;

type ChargingBank = Pick<Bank, 'charges' | 'capabilities' | 'connectionOf'>;

type PayInDependencies = {
  readonly bank: ChargingBank;
  readonly ids: Ids;
  readonly settings: { readonly pixCity: string };
};

type PayInRequest = Pick<PayIn, 'externalId' | 'accountId' | 'amount' | 'description' | 'payer'> & {
  readonly expiresInSeconds?: number | undefined;
};

/**
 * Opens the charge of a request at the bank and returns its pay-in. The bank opens the charge first, under a reference
 * that every repetition of the request has. A charge that is open at the bank but not written here moves no money,
 * because its QR code was never shown.
 * @throws RequestError 409 when the account's bank opens no charges
 * @throws BankUnavailable when the outcome is not known; a repetition with the same key finishes the same charge
 */
export async function preparePayIn(
  body: PayInRequest,
  account: Account,
  {
    at,
    reference,
    companyId,
    createdBy,
  }: Omit<RequestContext, 'connection'> & { readonly reference: string; readonly createdBy: string },
  { bank, ids, settings }: PayInDependencies,
): Promise<PayIn> {
  const { externalId, accountId, amount, description, payer, expiresInSeconds = defaultLifeSeconds } = body;
  const expireDateTime = plusSeconds(at, expiresInSeconds);
  const ownerBank = ownerBankOf(account);
  const connection = await bank.connectionOf(companyId, accountId);
  const { charges } = await bank.capabilities(companyId, connection);
  if (!charges) throw forbiddenByState('accountId', 'INVALID_VALUE', 'The bank of the account opens no charges.');
  const order = { reference, amount, receiver: { ...ownerBank, id: accountId }, payer, description, expireDateTime };
  const options = { again: false, whenUnknown: 'ASK' } as const;
  const opened = requireOutcome(await submitOnce(bank.charges.open, order, { companyId, connection, at }, options));
  const payIn = {
    id: orderIdOf(reference),
    externalId,
    accountId,
    ...anyShard(account, ids),
    expireDateTime,
    amount,
    description,
    payer,
    ownerBank,
    createdAt: at,
    createdBy,
    updatedAt: at,
    version: 1,
    ...pick({ connection }, 'connection'),
  };
  if (opened.outcome === 'REFUSED')
    return {
      ...payIn,
      status: 'ERROR',
      errorMessage: errorMessageOf(opened),
      qrcodeData: '',
      conciliationId: reference,
    };
  const { txid: conciliationId, location: url, qrcode } = opened.state;
  const merchant = { name: account.fullName, city: settings.pixCity };
  return { ...payIn, status: 'PENDING', conciliationId, qrcodeData: qrcode ?? buildDynamicCode({ merchant, url }) };
}
