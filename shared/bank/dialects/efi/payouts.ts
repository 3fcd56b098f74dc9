import { firstOf } from '#shared/core/visible.ts';
import { throttled } from '#shared/core/errors.ts';
import { parseBrCode } from '#shared/core/br-code/parse.ts';
import { formatAmount } from '#shared/core/money.ts';
import { unknownKeysWait } from '#shared/bank/connection.ts';
import type { CallContext, FoundCommand } from '#shared/bank/outcome.ts';
import type { PaymentOrder, PaymentState, UncheckedPayouts } from '#shared/bank/ports/payouts.ts';
import { requireAbout } from '#shared/bank/about.ts';
import { sentFacts } from '#shared/bank/dialects/efi/facts.ts';
import type { BankRequest } from '#shared/bank/calls/bank-client.ts';
import type { Connected } from '#shared/bank/connected.ts';
import { foundOf, noCancellation, outcomeOf, unlessNotConnected } from '#shared/bank/calls/outcomes.ts';
import { efiAccount } from './connecting.ts';
import { bankId, documentField } from './fields.ts';
import type { SentBody as Sent } from './shapes.ts';
import { SentBody } from './shapes.ts';
import { paymentState } from './states.ts';

/** Efí's code of a key that the DICT does not have. */
const unknownKey = 'chave_favorecido_nao_encontrada';
/** `tipoConta` of a receiver (Efí): neither wage nor payment accounts. */
const accountTypes: Readonly<Record<string, string>> = { CHECKING_ACCOUNT: 'cacc', SAVINGS_ACCOUNT: 'svgs' };

/** Efí's sent Pix: `idEnvio` is our reference, unique among payments to keys, to accounts and by codes. */
export function efiPayouts(connected: Connected): UncheckedPayouts {
  const { client, connection } = connected;
  const stateOf =
    ({ reference, endToEndId, amount: valor }: PaymentOrder, { at }: CallContext) =>
    (sent: Sent): PaymentState => {
      requireAbout(client, { idEnvio: bankId(reference), endToEndId, valor }, sentFacts(sent));
      return paymentState(sent, at, client);
    };
  const find = async (order: PaymentOrder, context: CallContext): Promise<FoundCommand<PaymentState>> => {
    const path = `/v2/gn/pix/enviados/id-envio/${bankId(order.reference)}`;
    const callOutcome = await client.question({ method: 'GET', path, signal: context.signal });
    return foundOf(client, callOutcome, SentBody, stateOf(order, context));
  };
  return {
    /**
     * Returns no end-to-end id: Efí issues it with the payment. After too many payouts to unknown keys, a company's
     * payouts to keys are rejected for the rest of the hour.
     */
    prepare: (order, { at }) => {
      const seconds = isPaidToKey(order) ? unknownKeysWait(connection, at) : undefined;
      if (seconds !== undefined) throw throttled('Too many payouts went to keys that nobody has registered.', seconds);
      return Promise.resolve({});
    },
    send: {
      submit: (order, context) =>
        unlessNotConnected(async () => {
          const callOutcome = await client.command({ ...requestOf(connected, order), signal: context.signal });
          const outcome = outcomeOf(client, callOutcome, SentBody, stateOf(order, context));
          if (outcome.outcome === 'REFUSED' && outcome.code === unknownKey) await connected.countUnknownKey(context.at);
          return outcome;
        }),
      find,
    },
    cancel: noCancellation(find),
  };
}

/** Returns the request of a payout; every repetition of an order sends the same. */
function requestOf(connected: Connected, order: PaymentOrder): Omit<BankRequest, 'signal'> {
  const { reference, amount, payer, receiver, description, qrcodeData } = order;
  const id = bankId(reference);
  const pagador = {
    chave: efiAccount(connected, payer).chave,
    ...(description !== '' && { infoPagador: firstOf(description, 140) }),
  };
  if (isPaidByCode(order))
    return { method: 'PUT', path: `/v2/gn/pix/${id}/qrcode`, body: { pagador, pixCopiaECola: qrcodeData } };
  const { bank, pix, document, name } = receiver;
  const favorecido =
    pix === undefined
      ? {
          contaBanco: {
            nome: name,
            ...documentField(document),
            codigoBanco: bank?.ispb,
            agencia: bank?.branch,
            conta: bank?.account,
            tipoConta: accountTypes[bank?.accountType ?? ''],
          },
        }
      : { chave: pix.key, ...documentField(document) };
  return { method: 'PUT', path: `/v3/gn/pix/${id}`, body: { valor: formatAmount(amount), pagador, favorecido } };
}

/**
 * Whether the payment goes to a key, which the bank looks up in the DICT. Some static codes are paid to their key, too.
 */
function isPaidToKey(order: PaymentOrder): boolean {
  return order.initiation === 'KEY' || (order.initiation === 'STATIC_QRCODE' && !isPaidByCode(order));
}

/**
 * Whether Efí pays the order by its QR code. A code is always paid in full, so a static code without an amount, or a
 * part of its amount, is paid to the key of the code, and the bank compares the document. A static code without a
 * `txid` is also paid to its key.
 */
function isPaidByCode({ initiation, qrcodeData, amount, txid }: PaymentOrder): boolean {
  if (qrcodeData === undefined) return false;
  if (initiation === 'DYNAMIC_QRCODE') return true;
  if (initiation !== 'STATIC_QRCODE' || txid === undefined) return false;
  const code = parseBrCode(qrcodeData);
  return code.kind === 'STATIC' && code.amount === amount;
}
