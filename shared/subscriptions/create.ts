import { buildCompositeCode, buildRecurrenceCode } from '../core/br-code/build.ts';
import { parseLocation } from '../core/br-code/location.ts';
import type { Clock, Instant } from '../core/brasilia-time.ts';
import { plusSeconds } from '../core/brasilia-time.ts';
import type { Document } from '../core/document.ts';
import { forbiddenByState } from '../core/errors.ts';
import type { Ids } from '../core/identifiers.ts';
import { orderIdOf } from '../core/identifiers.ts';
import type { Centavos } from '../core/money.ts';
import type { Party } from '../core/party.ts';
import { pick } from '../core/pick.ts';
import type { Change } from '../platform/commit.ts';
import type { Settings } from '../platform/dependencies.ts';
import type { Account } from '#shared/accounts/model.ts';
import { brazilianDocument } from '#shared/accounts/model.ts';
import type { Bank } from '../bank/bank.ts';
import type { RequestContext } from '../bank/outcome.ts';
import { BankUnavailable, recurrenceTimeoutMs, responseTimeoutMs } from '../bank/outcome.ts';
import { ownerBankOf } from '../bank/owner-bank.ts';
import type { AccountAtBank } from '../bank/ports/shapes.ts';
import type { ChargeState } from '../bank/ports/charges.ts';
import type { OpenedRecurrence, RecurrenceOrder } from '../bank/ports/recurrences.ts';
import { requireOutcome, submitOnce } from '../bank/bank.ts';
import { nextPoll } from '../bank/polling.ts';
import type { PayIn } from '../pay-ins/model.ts';
import { ownPayInInserts } from '../pay-ins/store.ts';
import type { Subscription } from './model.ts';
import { expectedPayerOf } from './model.ts';
import { subscriptionNotification } from './notification.ts';
import { newStatusHistory, recurrenceEndsAt } from './states.ts';
import { authorizationPollPut, recurrenceEndPut, recurrencePut, subscriptionInsert } from './store.ts';

type SubscriptionInput = Pick<
  Subscription,
  'type' | 'frequencyType' | 'startDate' | 'debtor' | 'webhookUrl' | 'externalId'
> & {
  readonly allowChargeAfterDueDate?: boolean | undefined;
  readonly allowAdjustToBusinessDay?: boolean | undefined;
  readonly fixedAmount?: Centavos | undefined;
  readonly maxAmountFloor?: Centavos | undefined;
  readonly endDate?: Subscription['startDate'] | undefined;
  readonly description?: string | undefined;
  readonly payer?: Party | undefined;
  readonly initialCharge?: { readonly amount: Centavos } | undefined;
};

/** References of the commands at the bank, the same on every repetition of the request. */
type References = { readonly recurrence: string; readonly charge: string };

type Registration = {
  readonly input: SubscriptionInput;
  readonly receiver: { readonly name: string; readonly document: Document; readonly account: AccountAtBank };
  readonly references: References;
  readonly expireDateTime: Instant;
};

/** Result of a registration: the recurrence and, for journey 3, its first charge; or the reason of a refusal. */
type RegistrationResult =
  | { readonly recurrence: OpenedRecurrence; readonly charge?: ChargeState }
  | { readonly refused: { readonly code?: string; readonly reason: string } };

type RegisteringBank = Pick<Bank, 'charges' | 'recurrences' | 'capabilities' | 'connectionOf'>;

type NewSubscription = {
  readonly subscription: Subscription;
  readonly firstCharge?: PayIn;
  /** When the bank is first polled for the payer's authorization, if it must be polled. */
  readonly pollAt?: Instant;
  /** When the service ends the recurrence; only where the bank is not polled. */
  readonly endsAt?: Instant;
};

/** Fields of a request that the bank and the record take as they are. */
const recurrenceTerms = ['frequencyType', 'startDate', 'endDate', 'fixedAmount', 'maxAmountFloor'] as const;

const firstChargeDescription = 'First charge of a subscription';

/**
 * Opens the subscription of a request at the bank, in journey 3 with the pay-in of its first charge.
 * @throws RequestError 409 for an account whose holder is no company, or whose bank opens no recurrences.
 * @throws BankUnavailable: nothing was written.
 */
export async function prepareSubscription(
  input: SubscriptionInput,
  account: Account,
  source: Omit<RequestContext, 'connection'> & {
    readonly references: References;
    readonly remainingMs: () => number;
    readonly createdBy: string;
  },
  deps: { readonly ids: Ids; readonly settings: Settings; readonly bank: RegisteringBank; readonly realNow: Clock },
): Promise<NewSubscription> {
  const { at, companyId, references, createdBy } = source;
  const { ids, settings, bank } = deps;
  const document = brazilianDocument(account);
  // API Pix: `recebedor` of a recurrence has a CNPJ.
  if (document?.type !== 'CNPJ')
    throw forbiddenByState(
      'accountId',
      'INVALID_VALUE',
      'Only a company receives by PIX Automático: the holder of the account has no CNPJ.',
    );
  const connection = await bank.connectionOf(companyId, account.id);
  const can = await bank.capabilities(companyId, connection);
  if (!can.recurrences || (input.initialCharge !== undefined && !can.charges))
    throw forbiddenByState('accountId', 'INVALID_VALUE', 'The bank of the account opens no such recurrence.');
  const { fullName } = account;
  const ownerBank = ownerBankOf(account);
  const receiver = { name: fullName, document, account: { ...ownerBank, id: account.id } };
  const expireDateTime = plusSeconds(at, settings.firstChargeExpiresSeconds);
  const registration = { input, receiver, references, expireDateTime };
  const result = await registerAtBank(bank, registration, { ...source, connection });
  const subscription: Subscription = {
    ...inputFields(input, { id: ids.uuid(), receiver: { id: account.id, fullName, document }, at }),
    ownerBank,
    createdBy,
    ...pick({ connection }, 'connection'),
    ...resultFields(registration, result, at, settings),
  };
  const { orderId } = subscription.initialCharge ?? {};
  const isOpen = subscription.status === 'PENDING_AUTHORIZATION';
  const endsAt = isOpen && !can.isPolled ? recurrenceEndsAt(subscription) : undefined;
  return {
    subscription,
    ...(orderId !== undefined && { firstCharge: firstChargeOf(subscription, orderId, ownerBank, ids) }),
    ...(endsAt !== undefined && { endsAt }),
    ...(isOpen && can.isPolled && { pollAt: nextPoll('RECURRENCE_POLL', at, deps.realNow()) }),
  };
}

/** The fields that follow from the request, whatever the bank replies. */
function inputFields(input: SubscriptionInput, more: Pick<Subscription, 'id' | 'receiver'> & { readonly at: Instant }) {
  const { at, id, receiver } = more;
  return {
    id,
    receiver,
    ...pick(input, 'type', 'debtor', 'webhookUrl', 'externalId', 'description', ...recurrenceTerms),
    allowChargeAfterDueDate: input.allowChargeAfterDueDate ?? false,
    allowAdjustToBusinessDay: input.allowAdjustToBusinessDay ?? false,
    // In journey 2 a named payer has no meaning and is not kept.
    ...(input.initialCharge && input.payer && { expectedPayer: input.payer }),
    createdAt: at,
    updatedAt: at,
    cancellationsCount: 0,
    version: 1,
  } as const;
}

/** The fields that follow from the bank's response. A refused subscription has neither QR code nor pay-in. */
function resultFields(
  { input: { initialCharge }, receiver: { name }, references, expireDateTime }: Registration,
  result: RegistrationResult,
  at: Instant,
  { pixCity: city }: Settings,
): Pick<Subscription, 'status' | 'statusHistory' | 'providerId' | 'qrcodeData' | 'initialCharge'> {
  const charge = initialCharge && { expireDateTime, conciliationId: references.charge, amount: initialCharge.amount };
  if ('refused' in result)
    return {
      ...newStatusHistory('ERROR', at),
      providerId: '',
      qrcodeData: '',
      ...(charge && { initialCharge: charge }),
    };
  const { recurrence, charge: opened } = result;
  const { recurrenceId: providerId, location: recurrenceUrl, qrcode } = recurrence;
  const pending = newStatusHistory('PENDING_AUTHORIZATION', at);
  const merchant = { name, city };
  if (charge === undefined || opened === undefined)
    return { ...pending, providerId, qrcodeData: qrcode ?? buildRecurrenceCode({ merchant, recurrenceUrl }) };
  const qrcodeData = qrcode ?? buildCompositeCode({ merchant, url: opened.location, recurrenceUrl });
  const orderId = orderIdOf(references.charge);
  return { ...pending, providerId, qrcodeData, initialCharge: { orderId, ...charge, conciliationId: opened.txid } };
}

/** Returns the pay-in of the first charge. Its external id, and so its `code`, is generated. */
function firstChargeOf(subscription: Subscription, orderId: string, ownerBank: PayIn['ownerBank'], ids: Ids): PayIn {
  const { createdAt, qrcodeData, receiver, initialCharge, description = firstChargeDescription } = subscription;
  if (initialCharge === undefined) throw new Error('The subscription has no first charge.');
  const { expireDateTime, conciliationId, amount } = initialCharge;
  return {
    id: orderId,
    externalId: ids.uuid(),
    accountId: receiver.id,
    status: 'PENDING',
    qrcodeData,
    expireDateTime,
    amount,
    description,
    conciliationId,
    createdAt,
    updatedAt: createdAt,
    payer: expectedPayerOf(subscription),
    ownerBank,
    subscription: { id: subscription.id, code: subscription.externalId },
    ...pick(subscription, 'connection', 'createdBy'),
    version: 1,
  };
}

/**
 * Opens at the bank the first charge (journey 3), then the recurrence that names it. A charge that stays open without
 * its recurrence moves no money: its QR code was never shown. @throws BankUnavailable when the bank gives no outcome
 * for one of them.
 */
async function registerAtBank(
  { recurrences, charges }: RegisteringBank,
  { input, receiver, references, expireDateTime }: Registration,
  { remainingMs, ...context }: RequestContext & { readonly remainingMs: () => number },
): Promise<RegistrationResult> {
  const { debtor, payer = debtor, initialCharge, description } = input;
  const { name, document, account } = receiver;
  const recurrence: RecurrenceOrder = {
    reference: references.recurrence,
    debtor,
    receiver: { name, document },
    accountId: account.id,
    ...pick(input, 'externalId', 'description', ...recurrenceTerms),
    allowChargeAfterDueDate: input.allowChargeAfterDueDate ?? false,
    ...(initialCharge !== undefined && { firstChargeTxid: references.charge }),
  };
  const charge = initialCharge && {
    reference: references.charge,
    amount: initialCharge.amount,
    receiver: account,
    payer,
    expireDateTime,
    description: description ?? firstChargeDescription,
  };
  const options = {
    ...({ again: false, whenUnknown: 'ASK' } as const),
    remainingMs: () => remainingMs() - (recurrenceTimeoutMs - responseTimeoutMs),
  };
  const charged = charge && requireOutcome(await submitOnce(charges.open, charge, context, options));
  if (charged?.outcome === 'REFUSED') return { refused: charged };
  const opened = requireOutcome(await submitOnce(recurrences.open, recurrence, context, options));
  if (opened.outcome === 'REFUSED') return { refused: opened };
  if (charged === undefined) return { recurrence: opened.state };
  requireOneHost(opened.state, charged.state);
  return { recurrence: opened.state, charge: charged.state };
}

/** Requires both locations of a composite code at one host (BCB, Manual de Padrões, 2.8.5.3). */
function requireOneHost({ qrcode, location }: OpenedRecurrence, charge: ChargeState): void {
  if (qrcode !== undefined || parseLocation(location)?.host === parseLocation(charge.location)?.host) return;
  throw new BankUnavailable('The bank response is invalid: charge and recurrence have different hosts.');
}

/** Returns the writes of a new subscription and its first charge, and the notification of a refused one. */
export function subscriptionChange(
  companyId: string,
  created: NewSubscription,
  source: { readonly ids: Ids; readonly at: Instant; readonly requestId: string },
): Pick<Change, 'writes' | 'notifications'> {
  const { subscription, firstCharge, pollAt, endsAt } = created;
  const isRefused = subscription.status === 'ERROR';
  const aggregate = { subscription, cancellations: [] };
  return {
    writes: [
      subscriptionInsert(companyId, subscription),
      ...(firstCharge ? ownPayInInserts(companyId, firstCharge) : []),
      ...(endsAt === undefined ? [] : [recurrenceEndPut(companyId, subscription.id, endsAt, 'absent')]),
      ...(pollAt === undefined
        ? []
        : [authorizationPollPut(companyId, subscription.id, pollAt, 'absent'), recurrencePut(companyId, subscription)]),
    ],
    notifications: isRefused ? [subscriptionNotification('SUBSCRIPTION.ERROR', aggregate, source)] : [],
  };
}
