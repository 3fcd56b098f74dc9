import type * as z from 'zod';
import { GetDispute } from '#functions/disputes/get/contract.ts';
import { ListDisputes } from '#functions/disputes/list/contract.ts';
import { ForceDisputeStatus } from '#functions/order-tools/force-dispute-status/contract.ts';
import { ToolFailure } from '../failures.ts';
import { poll } from '../poll.ts';
import type { Partner } from './client.ts';

/** The tools have the claims of a connected bank read within a minute. */
const readWithinMs = 150_000;
const lookEveryMs = 1000;

type Asked = z.input<typeof ForceDisputeStatus.body>;
type Said = { readonly id: string; readonly description: string };

/** Has the payer of a payment claim it back. @throws ToolFailure when the dispute is not open in time */
export async function claimBack(partner: Partner, body: Omit<Asked, 'status' | 'id'>): Promise<Said> {
  const said = (await partner.call(ForceDisputeStatus, { body: { ...body, status: 'OPEN' } })).body;
  // At a connected bank the dispute opens later: the tool then names the payment by its end-to-end id.
  if (!said.id.startsWith('E')) return said;
  const find = async () => {
    const query = { status: 'OPEN', limit: '100' } as const;
    const { data } = (await partner.call(ListDisputes, { query })).body;
    return data.find(({ endToEndId }) => endToEndId === said.id)?.id;
  };
  const id = await poll(find, (found) => found !== undefined, readWithinMs, lookEveryMs);
  if (id === undefined) throw notHeard(`The payment ${said.id} was claimed back at the bank, and is in no dispute`);
  return { id, description: said.description };
}

/** Has the bank decide a claim. @throws ToolFailure when the dispute does not have the status in time */
export async function decideClaim(partner: Partner, body: Asked & { readonly id: string }): Promise<Said> {
  const { id, status } = body;
  const said = (await partner.call(ForceDisputeStatus, { body })).body;
  const read = async () => (await partner.call(GetDispute, { params: { id } })).body.status;
  const reached = await poll(read, (now) => now === status, readWithinMs, lookEveryMs);
  if (reached !== status) throw notHeard(`The bank decided the claim, and the dispute ${id} is ${reached}`);
  return said;
}

function notHeard(what: string): ToolFailure {
  return new ToolFailure(
    `${what} after ${readWithinMs / 1000} s.`,
    'npm run operator -- bank:read-lists reads the claims of the bank now.',
  );
}
