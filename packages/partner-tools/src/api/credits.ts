import type * as z from 'zod';
import { ListCredits } from '#functions/credits/list/contract.ts';
import { ReceiveCredit } from '#functions/order-tools/receive-credit/contract.ts';
import { ToolFailure } from '../failures.ts';
import { poll } from '../poll.ts';
import type { Partner } from './client.ts';

/** A connected bank is asked each minute which payments to keys it received. */
const bookedWithinMs = 150_000;
const lookEveryMs = 1000;

/**
 * Makes a payer pay what no open pay-in expects.
 * @returns The id of the credit. @throws ToolFailure when it is not booked in time.
 */
export async function receiveCredit(partner: Partner, body: z.input<typeof ReceiveCredit.body>): Promise<string> {
  const { id } = (await partner.call(ReceiveCredit, { body })).body;
  // At a connected bank the tool may respond before the booking: then it names the payment by its end-to-end id.
  if (!id.startsWith('E')) return id;
  const find = async () => (await partner.call(ListCredits, { query: { endToEndId: id } })).body.data[0]?.id;
  const found = await poll(find, (credit) => credit !== undefined, bookedWithinMs, lookEveryMs);
  if (found !== undefined) return found;
  throw new ToolFailure(
    `The payment ${id} was made at the bank and is not booked after ${bookedWithinMs / 1000} s.`,
    `GET /order/v1/banking/credits?endToEndId=${id} shows it once it is booked.`,
  );
}
