import type { Account } from '../platform/ledger/account.ts';
import { buildDynamicCode } from '../core/br-code/build.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import { orderIdOf } from '../core/identifiers.ts';
import { ownerBankOf } from '../bank/owner-bank.ts';
import type { PayIn } from './model.ts';
import { errorMessageOf } from './states.ts';
import { submitOnce, requireOutcome } from '../bank/bank.ts';
import type { ChargeOrder } from '../bank/ports/charges.ts';
import type { Bank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';

/** Default life of a charge, seconds: that of the BCB's Pix API (`calendario.expiracao`). */
const defaultLifeSeconds = 86_400;

type PayInRequest = Pick<PayIn, 'externalId' | 'accountId' | 'amount' | 'description' | 'payer'> & {
  readonly expiresInSeconds?: number | undefined;
};

/**
 * The pay-in of a request. The bank opens the charge first, under a reference that every repetition of the request has.
 * A charge that is open there and not written here moves no money: its QR code was never shown.
 * @throws BankUnavailable when the bank does not say: the same key finishes the same charge.
 */
export async function preparePayIn(
  body: PayInRequest,
  account: Account,
  { at, reference, companyId }: RequestContext & { readonly reference: string },
  { bank, settings }: { readonly bank: Pick<Bank, 'charges'>; readonly settings: { readonly pixCity: string } },
): Promise<PayIn> {
  const { externalId, accountId, amount, description, payer, expiresInSeconds = defaultLifeSeconds } = body;
  const expireDateTime = plusSeconds(at, expiresInSeconds);
  const receiver = ownerBankOf(account);
  const order: ChargeOrder = { reference, amount, receiver, payer, description, expireDateTime };
  const context = { companyId, at };
  const submit = () => bank.charges.open(order, context);
  const find = () => bank.charges.find(reference, context);
  const opened = requireOutcome(await submitOnce({ submit, find }, { again: false, whenUnknown: 'ASK' }));
  const payIn = {
    ...{ id: orderIdOf(reference), externalId, accountId, expireDateTime, amount, description, payer },
    ...{ ownerBank: receiver, createdAt: at, updatedAt: at, version: 1 },
  };
  if (opened.outcome === 'REFUSED')
    return {
      ...payIn,
      status: 'ERROR',
      errorMessage: errorMessageOf(opened),
      qrcodeData: '',
      conciliationId: reference,
    };
  const { txid: conciliationId, location: url, qrcode } = opened.result;
  const merchant = { name: account.fullName, city: settings.pixCity };
  return { ...payIn, status: 'PENDING', conciliationId, qrcodeData: qrcode ?? buildDynamicCode({ merchant, url }) };
}
