import * as z from 'zod';
import { requireAbout } from '#shared/bank/about.ts';
import { outcomeOf, understood } from '#shared/bank/calls/outcomes.ts';
import type { Connected } from '#shared/bank/connected.ts';
import type { CommandOutcome } from '#shared/bank/outcome.ts';
import { BankUnavailable } from '#shared/bank/outcome.ts';
import type { RefundOrder, RefundState, UncheckedRefunds } from '#shared/bank/ports/refunds.ts';
import { EndToEndId, ReturnId, Time } from '#shared/bank/ports/shapes.ts';
import { withHyphens } from '#shared/core/identifiers.ts';
import { firstOf } from '#shared/core/visible.ts';
import { accountKeys } from './connecting.ts';
import { reais, Reais } from './json.ts';
import { accountLists, readPage } from './lists.ts';
import { ReceivedPixBody } from './shapes.ts';
import { refundState, shownRefund } from './states.ts';

/** The answer to a refund. The example has another member for the amount than the table, and the number of the Pix. */
const ReversalBody = z.object({
  request_control_key: z.guid(),
  reversal_status: z.string(),
  end_to_end_id: z.string().nullish(),
  transfer_amount: Reais.nullish(),
  transaction_amount: Reais.nullish(),
  created_at: Time,
});

type Bank = Pick<Connected, 'client' | 'connection'>;

/**
 * Refunds of received Pix, whole or in parts. The bank shows them with the Pix, by our `request_control_key`; one that
 * it rejected is not there. The pages do not say how a repetition of the key is answered.
 */
export function qitechRefunds(connected: Connected): UncheckedRefunds {
  const { client } = connected;
  return {
    find: async (order, { signal }) => {
      const { state } = await findRefund(connected, order, signal);
      return state === undefined ? { outcome: 'NEVER_SEEN' } : { outcome: 'DONE', state };
    },
    submit: async (order, { signal }) => {
      const { reference, endToEndId, amount, description = '' } = order;
      const path = await receivedPixOf(connected, order, signal, (_pix, refundPath) => refundPath).catch(nothingSent);
      if (typeof path !== 'string') return path;
      const key = withHyphens(reference);
      const message = description === '' ? {} : { reversal_message: firstOf(description, 140) };
      const body = { request_control_key: key, reversal_amount: reais(amount), reversal_reason: 'client_request' };
      const callOutcome = await client.command({ method: 'POST', path, body: { ...body, ...message }, signal });
      return outcomeOf(client, callOutcome, ReversalBody, (answer) => {
        const { request_control_key, transfer_amount, transaction_amount } = answer;
        const named = {
          request_control_key,
          transfer_amount: transfer_amount ?? transaction_amount ?? undefined,
          // The bank may name the refund (`D…`) or the Pix, but no other Pix.
          end_to_end_id: EndToEndId.safeParse(answer.end_to_end_id).data,
        };
        requireAbout(client, { request_control_key: key, transfer_amount: amount, end_to_end_id: endToEndId }, named);
        return answeredRefund(answer);
      });
    },
  };
}

/**
 * Looks up a refund with the Pix that it returns. No state: the bank does not show it.
 * @throws BankUnavailable also when the bank does not show the Pix, or not which parts of it went back
 */
function findRefund(
  bank: Bank,
  order: Pick<RefundOrder, 'reference' | 'endToEndId' | 'amount'>,
  signal: AbortSignal,
): Promise<{ readonly state: RefundState | undefined }> {
  const { reference, amount } = order;
  const key = withHyphens(reference);
  return receivedPixOf(bank, order, signal, ({ reversals }) => {
    if (reversals === null || reversals === undefined) throw new Error('The Pix has no list of its parts.');
    const [own, ...others] = reversals.filter(({ request_control_key: shown }) => shown?.toLowerCase() === key);
    if (others.length > 0) throw new Error('Several refunds have one key.');
    if (own === undefined) return { state: undefined };
    requireAbout(bank.client, { transfer_amount: amount }, { transfer_amount: own.transfer_amount });
    return { state: shownRefund(own) };
  });
}

/**
 * Reads what a list shows of a received Pix, in whichever account: an order does not name that.
 * @throws BankUnavailable unless one entry is shown, and understood
 */
async function receivedPixOf<T>(
  { client, connection }: Bank,
  { endToEndId: end_to_end_id }: Pick<RefundOrder, 'endToEndId'>,
  signal: AbortSignal,
  read: (pix: ReceivedPixBody, refundPath: string) => T,
): Promise<T> {
  const found: (T | undefined)[] = [];
  for (const { key: account } of accountKeys(connection)) {
    const list = { key: account, list: accountLists.receivedPix };
    for (const entry of await readPage(client, list, { end_to_end_id }, signal))
      found.push(
        understood(client, entry, ReceivedPixBody, (pix) => {
          const named = { end_to_end_id: pix.end_to_end_id, account_key: pix.account_key ?? undefined };
          requireAbout(client, { end_to_end_id, account_key: account }, named);
          const { pix_transfer_key: key } = pix;
          if (typeof key !== 'string') throw new Error('The Pix has no key.');
          return read(pix, `/account/${account}/pix_transfer/${key}/reversal`);
        }),
      );
  }
  const [one, ...others] = found;
  if (one === undefined || others.length > 0) throw new BankUnavailable('The bank does not show the received Pix.');
  return one;
}

/** Returns the state in an answer. One without the number of the refund stays open: a look-up has it. */
function answeredRefund({
  reversal_status,
  end_to_end_id,
  created_at: at,
}: z.output<typeof ReversalBody>): RefundState {
  const returnId = ReturnId.safeParse(end_to_end_id).data;
  const state = refundState(reversal_status, { returnId, at });
  return state ?? { status: 'PENDING' };
}

/** Nothing was sent: the bank did not show the Pix. */
function nothingSent(error: unknown): Extract<CommandOutcome<RefundState>, { readonly outcome: 'NOT_NOW' }> {
  if (!(error instanceof BankUnavailable)) throw error;
  return { outcome: 'NOT_NOW', cause: firstOf(error.message, 140) };
}
